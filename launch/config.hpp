// The run configuration: options of a training run with their names in YAML. One table (config_fields) serves reading,
// --set, printing and the check for unknown keys.
#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "trainer/training_options.hpp"

namespace ringpose::launch {

/// Everything a run YAML can say. Defaults are DeepLabCut's for resnet_50.
struct RunConfig {
  trainer::TrainingOptions training;
  trainer::DeviceChoice device = trainer::DeviceChoice::automatic;
  int cpu_threads = 0;  ///< computing threads of each rank; 0: its share of the cores it may run on
  /// Throws data::ConfigError naming the field.
  void validate() const;
};

/// One key of the YAML and the value behind it.
struct ConfigField {
  using Target =
      std::variant<bool*, int*, std::int64_t*, std::uint64_t*, double*, std::string*, std::array<double, 2>*,
                   std::vector<double>*, std::vector<std::int64_t>*, trainer::DeviceChoice*, trainer::Precision*>;
  std::string key;  ///< "section.name"
  Target target;
  const char* meaning;
};

/// All keys in printing order; targets point into `config`.
[[nodiscard]] std::vector<ConfigField> config_fields(RunConfig& config);

/// Reads a YAML file over `config`. Throws data::ConfigError naming file, line, key and, for an unknown key, the
/// nearest known one; data::IoError when the file cannot be read.
void apply_config_file(RunConfig& config, const std::filesystem::path& file);
/// The same from text; `source` names it in messages.
void apply_config_text(RunConfig& config, const std::string& yaml, const std::string& source);
/// One "section.name=value" of --set; the value is YAML. Throws data::ConfigError.
void apply_setting(RunConfig& config, const std::string& setting);

/// The whole configuration as YAML that apply_config_text reads back to equal values.
[[nodiscard]] std::string to_yaml(const RunConfig& config);

/// A whole file as text. Throws data::IoError.
[[nodiscard]] std::string read_text_file(const std::filesystem::path& file);

}  // namespace ringpose::launch
