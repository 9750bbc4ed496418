#include "trainer/safetensors_header.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "data/error.hpp"

namespace ringpose::trainer {

namespace {

using Json = nlohmann::ordered_json;
using c10::ScalarType;

constexpr const char* kMetadataKey = "__metadata__";

constexpr std::array<std::pair<const char*, ScalarType>, 10> kTypes{{{"F64", ScalarType::Double},
                                                                     {"F32", ScalarType::Float},
                                                                     {"F16", ScalarType::Half},
                                                                     {"BF16", ScalarType::BFloat16},
                                                                     {"I64", ScalarType::Long},
                                                                     {"I32", ScalarType::Int},
                                                                     {"I16", ScalarType::Short},
                                                                     {"I8", ScalarType::Char},
                                                                     {"U8", ScalarType::Byte},
                                                                     {"BOOL", ScalarType::Bool}}};

[[noreturn]] void fail(const std::string& file, const std::string& found) {
  throw data::FormatError(
      fmt::format("Reading {}: {}. It is damaged or not a safetensors file; fetch or write it again.", file, found));
}

/// Refuses a name that appears twice in one object: JSON libraries would silently keep one of the two. Refuses a zero
/// byte as well, which the library takes for the end of the text.
Json parse_json(std::string_view text, const std::string& file) {
  if (text.find('\0') != std::string_view::npos) fail(file, "the header holds a zero byte");
  std::vector<std::set<std::string>> names_by_depth;
  const auto visit = [&](int depth, Json::parse_event_t event, Json& parsed) {
    const auto level = static_cast<std::size_t>(depth) + (event == Json::parse_event_t::object_start ? 1 : 0);
    if (level >= names_by_depth.size()) names_by_depth.resize(level + 1);
    if (event == Json::parse_event_t::object_start) names_by_depth[level].clear();
    if (event == Json::parse_event_t::key && !names_by_depth[level].insert(parsed.get<std::string>()).second)
      fail(file, fmt::format("the name '{}' appears twice in the header", parsed.get<std::string>()));
    return true;
  };
  try {
    return Json::parse(text, visit);
  } catch (const Json::parse_error& error) {
    fail(file, fmt::format("the header is not JSON ({})", error.what()));
  }
}

std::uint64_t unsigned_number(const Json& value, const std::string& file, const std::string& what) {
  constexpr std::uint64_t limit = std::numeric_limits<std::int64_t>::max();
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > limit)
    fail(file, fmt::format("{} holds '{}', expected a whole number of at least 0", what, value.dump()));
  return value.get<std::uint64_t>();
}

ScalarType scalar_type(const Json& value, const std::string& file, const std::string& name) {
  for (const auto& [text, type] : kTypes)
    if (value == text) return type;
  fail(file, fmt::format("tensor '{}' has dtype {}, expected one of F64 F32 F16 BF16 I64 I32 I16 I8 U8 BOOL", name,
                         value.dump()));
}

/// Bytes of a tensor; nothing when the product does not fit.
std::optional<std::uint64_t> tensor_bytes(const SafetensorsEntry& entry) {
  std::uint64_t bytes = c10::elementSize(entry.type);
  for (const std::int64_t size : entry.shape)
    if (__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(size), &bytes)) return std::nullopt;
  return bytes;
}

SafetensorsEntry parse_entry(const std::string& name, const Json& value, std::uint64_t data_bytes,
                             const std::string& file) {
  if (!value.is_object() || value.size() != 3 || !value.contains("dtype") || !value.contains("shape") ||
      !value.contains("data_offsets"))
    fail(file, fmt::format("tensor '{}' lacks dtype, shape or data_offsets, or has more than these", name));
  SafetensorsEntry entry{.name = name, .type = scalar_type(value["dtype"], file, name), .shape = {}};
  if (!value["shape"].is_array()) fail(file, fmt::format("the shape of tensor '{}' is not a list", name));
  for (const Json& size : value["shape"])
    entry.shape.push_back(
        static_cast<std::int64_t>(unsigned_number(size, file, fmt::format("the shape of tensor '{}'", name))));
  const Json& offsets = value["data_offsets"];
  if (!offsets.is_array() || offsets.size() != 2)
    fail(file, fmt::format("data_offsets of tensor '{}' is not a pair", name));
  entry.begin = unsigned_number(offsets[0], file, fmt::format("data_offsets of tensor '{}'", name));
  entry.end = unsigned_number(offsets[1], file, fmt::format("data_offsets of tensor '{}'", name));
  if (entry.begin > entry.end || entry.end > data_bytes)
    fail(file, fmt::format("tensor '{}' lies at bytes {} to {}, but {} bytes follow the header (truncated?)", name,
                           entry.begin, entry.end, data_bytes));
  if (tensor_bytes(entry) != entry.end - entry.begin)
    fail(file, fmt::format("tensor '{}' of shape [{}] has {} bytes, which do not fit", name,
                           fmt::join(entry.shape, ","), entry.end - entry.begin));
  return entry;
}

std::map<std::string, std::string> parse_metadata(const Json& value, const std::string& file) {
  if (!value.is_object()) fail(file, "__metadata__ is not an object");
  std::map<std::string, std::string> metadata;
  for (const auto& [key, text] : value.items()) {
    if (!text.is_string()) fail(file, fmt::format("__metadata__ '{}' is not text", key));
    metadata.emplace(key, text.get<std::string>());
  }
  return metadata;
}

/// Every byte belongs to exactly one tensor.
void check_coverage(const std::vector<SafetensorsEntry>& entries, std::uint64_t data_bytes, const std::string& file) {
  std::vector<const SafetensorsEntry*> by_place;
  for (const SafetensorsEntry& entry : entries) by_place.push_back(&entry);
  std::sort(by_place.begin(), by_place.end(),
            [](const auto* a, const auto* b) { return std::pair(a->begin, a->end) < std::pair(b->begin, b->end); });
  std::uint64_t covered = 0;
  for (const SafetensorsEntry* entry : by_place) {
    if (entry->begin != covered)
      fail(file, fmt::format("tensor '{}' starts at byte {}, expected {}: tensors overlap or leave a gap", entry->name,
                             entry->begin, covered));
    covered = entry->end;
  }
  if (covered != data_bytes)
    fail(file, fmt::format("{} bytes follow the header, but its tensors end at byte {}", data_bytes, covered));
}

const char* type_name(const SafetensorsEntry& entry) {
  for (const auto& [text, type] : kTypes)
    if (type == entry.type) return text;
  throw std::invalid_argument(
      fmt::format("Tensor '{}' of type {} has no place in a safetensors file.", entry.name, c10::toString(entry.type)));
}

}  // namespace

SafetensorsHeader parse_safetensors_header(std::string_view json, std::uint64_t data_bytes, const std::string& file) {
  const Json root = parse_json(json, file);
  if (!root.is_object()) fail(file, "the header is not a JSON object");
  SafetensorsHeader header;
  for (const auto& [name, value] : root.items()) {
    if (name == kMetadataKey)
      header.metadata = parse_metadata(value, file);
    else
      header.entries.push_back(parse_entry(name, value, data_bytes, file));
  }
  check_coverage(header.entries, data_bytes, file);
  return header;
}

void lay_out(std::vector<SafetensorsEntry>& entries) {
  std::vector<std::size_t> order(entries.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return c10::elementSize(entries[a].type) > c10::elementSize(entries[b].type);
  });
  std::uint64_t offset = 0;
  for (const std::size_t index : order) {
    entries[index].begin = offset;
    offset += tensor_bytes(entries[index]).value();
    entries[index].end = offset;
  }
}

std::string format_safetensors_header(const SafetensorsHeader& header) {
  Json root = Json::object();
  if (!header.metadata.empty()) root[kMetadataKey] = header.metadata;
  std::set<std::string> names{kMetadataKey};
  for (const SafetensorsEntry& entry : header.entries) {
    if (!names.insert(entry.name).second)
      throw std::invalid_argument(fmt::format("The tensor name '{}' is reserved or used twice.", entry.name));
    root[entry.name] = {
        {"dtype", type_name(entry)}, {"shape", entry.shape}, {"data_offsets", {entry.begin, entry.end}}};
  }
  std::string text;
  try {
    text = root.dump();
  } catch (const Json::type_error& error) {
    throw std::invalid_argument(fmt::format("A tensor name or metadata text is not UTF-8 ({}).", error.what()));
  }
  text.resize((text.size() + 7) / 8 * 8, ' ');
  return text;
}

}  // namespace ringpose::trainer
