#include "launch/config_yaml.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <type_traits>

#include "data/error.hpp"
#include "launch/nearest_name.hpp"

namespace ringpose::launch {

namespace {

using trainer::DeviceChoice;
using trainer::Precision;

const std::vector<std::pair<std::string, DeviceChoice>> kDevices{
    {"auto", DeviceChoice::automatic}, {"cuda", DeviceChoice::cuda}, {"cpu", DeviceChoice::cpu}};
const std::vector<std::pair<std::string, Precision>> kPrecisions{{"tf32", Precision::tf32}, {"fp32", Precision::fp32}};

template <typename T>
const char* kind_of() {
  if constexpr (std::is_same_v<T, bool>) return "true or false";
  if constexpr (std::is_same_v<T, std::uint64_t>) return "a whole number, 0 or more";
  if constexpr (std::is_integral_v<T>) return "a whole number";
  if constexpr (std::is_same_v<T, double>) return "a number";
  if constexpr (std::is_same_v<T, std::array<double, 2>>) return "a list of two numbers";
  if constexpr (std::is_same_v<T, std::vector<double>>) return "a list of numbers";
  if constexpr (std::is_same_v<T, std::vector<std::int64_t>>) return "a list of whole numbers";
  if constexpr (std::is_same_v<T, DeviceChoice>) return "auto, cuda or cpu";
  if constexpr (std::is_same_v<T, Precision>) return "tf32 or fp32";
  return "a text";
}

template <typename T>
T from_name(const std::vector<std::pair<std::string, T>>& names, const YAML::Node& node) {
  const auto name = node.as<std::string>();
  for (const auto& [known, value] : names)
    if (known == name) return value;
  throw YAML::BadConversion(node.Mark());
}

template <typename T>
std::string name_of(const std::vector<std::pair<std::string, T>>& names, T value) {
  return std::find_if(names.begin(), names.end(), [value](const auto& entry) { return entry.second == value; })->first;
}

template <typename T>
T value_of(const YAML::Node& node) {
  if constexpr (std::is_same_v<T, DeviceChoice>)
    return from_name(kDevices, node);
  else if constexpr (std::is_same_v<T, Precision>)
    return from_name(kPrecisions, node);
  else
    return node.as<T>();
}

std::string text_of(const ConfigField& field) {
  return std::visit(
      [](const auto* value) -> std::string {
        using T = std::remove_cvref_t<decltype(*value)>;
        if constexpr (std::is_same_v<T, DeviceChoice>)
          return name_of(kDevices, *value);
        else if constexpr (std::is_same_v<T, Precision>)
          return name_of(kPrecisions, *value);
        else
          return fmt::format("{}", *value);
      },
      field.target);
}

void apply_section(const std::vector<ConfigField>& fields, const std::string& section, const YAML::Node& node,
                   const std::string& source) {
  if (!node.IsMap())
    throw data::ConfigError(
        fmt::format("{}: '{}' should hold 'name: value' lines below it.", place_of(node, source), section));
  for (const std::string& name : keys_of(node, source)) {
    const YAML::Node value = node[name];
    const std::string place = place_of(value, source);
    assign_field(find_field(fields, section + "." + name, place), value, place);
  }
}

}  // namespace

std::string place_of(const YAML::Node& node, const std::string& source) {
  const YAML::Mark mark = node.Mark();
  return mark.is_null() ? source : fmt::format("{}:{}", source, mark.line + 1);
}

YAML::Node parse_yaml(const std::string& yaml, const std::string& source) {
  try {
    return YAML::Load(yaml);
  } catch (const YAML::ParserException& error) {
    const bool one_line = yaml.find('\n') == std::string::npos;
    const std::string place = one_line ? source : fmt::format("{}:{}", source, error.mark.line + 1);
    throw data::ConfigError(fmt::format("{}: this is no YAML: {}.", place, error.msg));
  }
}

std::vector<std::string> keys_of(const YAML::Node& map, const std::string& source) {
  std::vector<std::string> keys;
  std::set<std::string> seen;
  for (const auto& entry : map) {
    keys.push_back(entry.first.as<std::string>());
    if (!seen.insert(keys.back()).second)
      throw data::ConfigError(fmt::format("{}: '{}' is given twice.", place_of(entry.first, source), keys.back()));
  }
  return keys;
}

void assign_field(const ConfigField& field, const YAML::Node& node, const std::string& place) {
  std::visit(
      [&](auto* value) {
        using T = std::remove_cvref_t<decltype(*value)>;
        try {
          *value = value_of<T>(node);
        } catch (const YAML::Exception&) {
          throw data::ConfigError(
              fmt::format("{}: {} is '{}', expected {}.", place, field.key, YAML::Dump(node), kind_of<T>()));
        }
      },
      field.target);
}

const ConfigField& find_field(const std::vector<ConfigField>& fields, const std::string& key,
                              const std::string& place) {
  std::vector<std::string> known;
  for (const ConfigField& field : fields) {
    if (field.key == key) return field;
    known.push_back(field.key);
  }
  throw data::ConfigError(
      fmt::format("{}: unknown key '{}'. The nearest known key is '{}'.", place, key, nearest_name(key, known)));
}

void apply_config_text(RunConfig& config, const std::string& yaml, const std::string& source) {
  const YAML::Node root = parse_yaml(yaml, source);
  if (root.IsNull()) return;
  if (!root.IsMap()) throw data::ConfigError(fmt::format("{}: expected sections such as 'training:'.", source));
  const std::vector<ConfigField> fields = config_fields(config);
  std::vector<std::string> sections;
  for (const ConfigField& field : fields) sections.push_back(field.key.substr(0, field.key.find('.')));
  for (const std::string& section : keys_of(root, source)) {
    if (std::find(sections.begin(), sections.end(), section) == sections.end())
      throw data::ConfigError(fmt::format("{}: unknown section '{}'. The nearest known section is '{}'.",
                                          place_of(root[section], source), section, nearest_name(section, sections)));
    apply_section(fields, section, root[section], source);
  }
}

void apply_setting(RunConfig& config, const std::string& setting) {
  const std::size_t equals = setting.find('=');
  const std::string source = fmt::format("--set {}", setting);
  if (equals == std::string::npos) throw data::ConfigError(fmt::format("{}: expected section.name=value.", source));
  const std::vector<ConfigField> fields = config_fields(config);
  const std::string key = setting.substr(0, equals);
  const ConfigField& field = find_field(fields, key, source);
  assign_field(field, parse_yaml(setting.substr(equals + 1), source), source);
}

std::string to_yaml(const RunConfig& config) {
  RunConfig copy = config;
  std::string text, section;
  for (const ConfigField& field : config_fields(copy)) {
    const std::size_t dot = field.key.find('.');
    if (field.key.substr(0, dot) != section) {
      section = field.key.substr(0, dot);
      text += section + ":\n";
    }
    const std::string line = fmt::format("  {}: {}", field.key.substr(dot + 1), text_of(field));
    text += fmt::format("{:<40} # {}\n", line, field.meaning);
  }
  return text;
}

}  // namespace ringpose::launch
