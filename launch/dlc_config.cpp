#include "launch/dlc_config.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

#include "data/error.hpp"
#include "launch/config_yaml.hpp"
#include "launch/nearest_name.hpp"

namespace ringpose::launch {

namespace {

constexpr int kBackboneChannels = 2048;
constexpr double kDefaultNoise = 12.75;  // DeepLabCut: 0.05 * 255 where the value is no number

/// Comparable text: block and flow style, and the spelling of numbers, do not matter.
std::string normal_text(const YAML::Node& node) {
  if (node.IsNull()) return "null";
  if (node.IsSequence()) {
    std::string text = "[";
    for (const auto& item : node) text += normal_text(item) + ",";
    return text + "]";
  }
  if (!node.IsScalar()) return "{...}";
  double number = 0;
  if (YAML::convert<double>::decode(node, number)) return fmt::format("{}", number);
  return node.as<std::string>();
}

bool is_off(const YAML::Node& node) {
  return node.IsNull() || normal_text(node) == "false";
}

class Importer {
 public:
  explicit Importer(std::string source) : source_(std::move(source)) {
    // What the file leaves out is off in DeepLabCut.
    auto& augmentation = import_.config.training.augmentation;
    augmentation.affine = augmentation.crop = augmentation.motion_blur = false;
    augmentation.gaussian_noise = 0;
    import_.config.training.schedule.milestones.clear();
    import_.config.training.schedule.rates.clear();
  }

  DlcImport read(const std::string& yaml) {
    const YAML::Node root = parse_yaml(yaml, source_);
    if (!root.IsMap() || !root["train_settings"] || !root["model"] || !root["runner"])
      throw data::ConfigError(
          fmt::format("{}: this is no pytorch_config.yaml of DeepLabCut 3 (expected the sections model, runner and "
                      "train_settings).",
                      source_));
    walk("", root);
    check_sizes();
    return std::move(import_);
  }

 private:
  using Special = void (Importer::*)(const DlcKey&, const YAML::Node&);

  void walk(const std::string& prefix, const YAML::Node& map) {
    for (const std::string& name : keys_of(map, source_)) {
      const std::string path = prefix.empty() ? name : prefix + "." + name;
      const YAML::Node node = map[name];
      const DlcKey* key = find(path);
      if (key != nullptr) apply(*key, node);
      const bool ignored = key != nullptr && key->treatment == DlcTreatment::ignored;
      if (node.IsMap() && !ignored && has_below(path))
        walk(path, node);
      else if (key == nullptr)
        refuse_unknown(path, node);
    }
  }

  static const DlcKey* find(const std::string& path) {
    const auto& keys = dlc_keys();
    const auto found = std::find_if(keys.begin(), keys.end(), [&](const DlcKey& key) { return path == key.key; });
    return found == keys.end() ? nullptr : &*found;
  }

  static bool has_below(const std::string& path) {
    const auto& keys = dlc_keys();
    return std::any_of(keys.begin(), keys.end(),
                       [&](const DlcKey& key) { return std::string(key.key).starts_with(path + "."); });
  }

  void apply(const DlcKey& key, const YAML::Node& node) {
    static const std::map<std::string, Special> specials = special_keys();
    if (const auto special = specials.find(key.key); special != specials.end()) {
      (this->*special->second)(key, node);
    } else if (key.treatment == DlcTreatment::obeyed) {
      assign_field(find_field(config_fields(import_.config), key.value, key.key), node, place_of(node, source_));
    } else if (key.treatment == DlcTreatment::required) {
      require(key, node);
    } else if (key.announced && !node.IsNull()) {
      import_.remarks.push_back(fmt::format("{} = {} is ignored: {}.", key.key, normal_text(node), key.note));
    }
  }

  void require(const DlcKey& key, const YAML::Node& node) {
    const YAML::Node accepted = YAML::Load(key.value);
    for (const auto& value : accepted)
      if (normal_text(value) == normal_text(node)) return;
    refuse(key, node, fmt::format("expected one of {}", key.value));
  }

  [[noreturn]] void refuse(const DlcKey& key, const YAML::Node& node, const std::string& expected) const {
    const std::string note = *key.note != '\0' ? fmt::format(" ({})", key.note) : std::string();
    throw data::ConfigError(fmt::format("{}: {} is {}, {}{}. launch/DLC_CONFIG.md lists what ringpose can do.",
                                        place_of(node, source_), key.key, normal_text(node), expected, note));
  }

  [[noreturn]] void refuse_unknown(const std::string& path, const YAML::Node& node) const {
    std::vector<std::string> known;
    for (const DlcKey& key : dlc_keys()) known.emplace_back(key.key);
    throw data::ConfigError(
        fmt::format("{}: unknown key '{}'. The nearest known key is '{}'. launch/DLC_CONFIG.md lists all.",
                    place_of(node, source_), path, nearest_name(path, known)));
  }

  static std::map<std::string, Special> special_keys() {
    const std::string head = "model.heads.bodypart.";
    return {{"net_type", &Importer::net_type},
            {"device", &Importer::device},
            {"runner.device", &Importer::device},
            {"metadata.bodyparts", &Importer::bodyparts},
            {"metadata.individuals", &Importer::individuals},
            {head + "predictor.locref_std", &Importer::remember},
            {head + "target_generator.num_heatmaps", &Importer::remember},
            {head + "heatmap_config.channels", &Importer::remember},
            {head + "locref_config.channels", &Importer::remember},
            {"data.train.affine", &Importer::affine},
            {"data.train.crop_sampling", &Importer::crop},
            {"data.train.motion_blur", &Importer::motion_blur},
            {"data.train.gaussian_noise", &Importer::gaussian_noise},
            {"runner.optimizer.params.betas", &Importer::betas},
            {"runner.scheduler", &Importer::scheduler},
            {"runner.scheduler.params.lr_list", &Importer::lr_list}};
  }

  trainer::TrainingOptions& training() { return import_.config.training; }

  void net_type(const DlcKey& key, const YAML::Node& node) {
    if (normal_text(node) != "resnet_50") refuse(key, node, "expected resnet_50");
    training().net_type = "resnet_50";
  }

  void device(const DlcKey& key, const YAML::Node& node) {
    const std::string name = node.IsNull() ? "auto" : node.as<std::string>();
    const std::string kind = name.substr(0, name.find(':'));
    // The file may name the device twice, at the top and below runner; the latter, which DeepLabCut takes, stands
    // later.
    if (kind == "auto" && !node.IsNull())
      import_.config.device = trainer::DeviceChoice::automatic;
    else if (kind == "cuda")
      import_.config.device = trainer::DeviceChoice::cuda;
    else if (kind == "cpu")
      import_.config.device = trainer::DeviceChoice::cpu;
    else if (!node.IsNull())
      refuse(key, node, "expected auto, cuda or cpu");
  }

  void bodyparts(const DlcKey& key, const YAML::Node& node) {
    if (!node.IsSequence() || node.size() == 0) refuse(key, node, "expected a list of names");
    import_.bodyparts = node.as<std::vector<std::string>>();
  }

  void individuals(const DlcKey& key, const YAML::Node& node) {
    if (!node.IsSequence() || node.size() != 1) refuse(key, node, "expected one");
  }

  void remember(const DlcKey& key, const YAML::Node& node) { remembered_.emplace(key.key, node); }

  void affine(const DlcKey& key, const YAML::Node& node) {
    auto& augmentation = training().augmentation;
    augmentation.affine = !is_off(node);
    if (!augmentation.affine) return;
    if (!node.IsMap()) refuse(key, node, "expected null or a map");
    augmentation.affine_p = 0.9;
    augmentation.rotation_deg = 0;
    augmentation.scaling = {1, 1};
    augmentation.translation_px = 0;
  }

  void crop(const DlcKey& key, const YAML::Node& node) {
    training().augmentation.crop = !is_off(node);
    if (!is_off(node) && !node.IsMap()) refuse(key, node, "expected null or a map");
  }

  void motion_blur(const DlcKey& key, const YAML::Node& node) {
    if (is_off(node)) return;
    if (normal_text(node) != "true") refuse(key, node, "expected true, false or null");
    training().augmentation.motion_blur = true;
  }

  void gaussian_noise(const DlcKey& key, const YAML::Node& node) {
    double& noise = training().augmentation.gaussian_noise;
    if (is_off(node)) return;
    if (normal_text(node) == "true")
      noise = kDefaultNoise;
    else if (!YAML::convert<double>::decode(node, noise))
      refuse(key, node, "expected a number, true, false or null");
  }

  void betas(const DlcKey& key, const YAML::Node& node) {
    if (!node.IsSequence() || node.size() != 2) refuse(key, node, "expected two numbers");
    const std::vector<ConfigField> fields = config_fields(import_.config);
    assign_field(find_field(fields, "optimizer.beta1", key.key), node[0], place_of(node, source_));
    assign_field(find_field(fields, "optimizer.beta2", key.key), node[1], place_of(node, source_));
  }

  void scheduler(const DlcKey& key, const YAML::Node& node) {
    if (!node.IsNull() && !node.IsMap()) refuse(key, node, "expected null or a map");
  }

  void lr_list(const DlcKey& key, const YAML::Node& node) {
    std::vector<double>& rates = training().schedule.rates;
    if (!node.IsSequence()) refuse(key, node, "expected a list of lists");
    for (const auto& group : node) {
      double rate = 0;
      const bool one = group.IsSequence() && group.size() == 1;
      if (!one || !YAML::convert<double>::decode(group[0], rate))
        refuse(key, node, "expected a list of lists of one rate each");
      rates.push_back(rate);
    }
  }

  /// What can be judged only once all is read.
  void check_sizes() {
    if (import_.bodyparts.empty()) throw data::ConfigError(fmt::format("{}: metadata.bodyparts is missing.", source_));
    const auto keypoints = import_.bodyparts.size();
    const std::string head = "model.heads.bodypart.";
    expect(head + "target_generator.num_heatmaps", fmt::format("{}", keypoints));
    expect(head + "heatmap_config.channels", fmt::format("[{},{},]", kBackboneChannels, keypoints));
    expect(head + "locref_config.channels", fmt::format("[{},{},]", kBackboneChannels, 2 * keypoints));
    expect(head + "predictor.locref_std", fmt::format("{}", training().targets.locref_std));
  }

  void expect(const std::string& path, const std::string& text) {
    const auto found = remembered_.find(path);
    if (found != remembered_.end() && normal_text(found->second) != text)
      refuse(*find(path), found->second, "expected " + text);
  }

  std::string source_;
  DlcImport import_;
  std::map<std::string, YAML::Node> remembered_;
};

const char* name_of(DlcTreatment treatment) {
  switch (treatment) {
    case DlcTreatment::obeyed:
      return "obeyed";
    case DlcTreatment::required:
      return "refused unless";
    case DlcTreatment::ignored:
      return "ignored";
  }
  return "";
}

}  // namespace

DlcImport read_dlc_config_text(const std::string& yaml, const std::string& source) {
  return Importer(source).read(yaml);
}

DlcImport read_dlc_config(const std::filesystem::path& file) {
  return read_dlc_config_text(read_text_file(file), file.string());
}

std::string dlc_config_markdown() {
  std::string text =
      "# DeepLabCut's pytorch_config.yaml\n\n"
      "`ringpose train data.h5 --dlc-config pytorch_config.yaml` reads the file that DeepLabCut 3 (3.0.0rc10 to 3.0.2) "
      "writes for a\n"
      "single-animal resnet_50. What becomes of each key:\n\n"
      "- **obeyed**: sets the ringpose key named beside it (`launch/configs/minimal.yaml` explains these).\n"
      "- **refused unless**: any other value ends the run with a message, since it would train something else.\n"
      "- **ignored**: without effect, for the reason given.\n\n"
      "A key that is not listed is refused, with the nearest known key named. A transform that the file leaves out is "
      "off, as in\n"
      "DeepLabCut. `--set section.name=value` overrides what the file says. This page is made from the table in "
      "`dlc_keys.cpp`; a test\n"
      "compares the two.\n\n"
      "| key | | value | remark |\n|---|---|---|---|\n";
  for (const DlcKey& key : dlc_keys()) {
    const std::string value = *key.value != '\0' ? fmt::format("`{}`", key.value) : std::string();
    text += fmt::format("| `{}` | {} | {} | {} |\n", key.key, name_of(key.treatment), value, key.note);
  }
  return text;
}

}  // namespace ringpose::launch
