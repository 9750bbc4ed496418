// Reads DeepLabCut's pytorch_config.yaml as a run configuration. One table says of every key what becomes of it;
// DLC_CONFIG.md is made from it.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "launch/config.hpp"

namespace ringpose::launch {

/// What becomes of a key of pytorch_config.yaml.
enum class DlcTreatment {
  obeyed,    ///< sets a value of ours
  required,  ///< only some values are possible here; any other is refused
  ignored,   ///< without effect, for the reason given
};

struct DlcKey {
  const char* key;  ///< path with dots
  DlcTreatment treatment;
  const char* value;       ///< obeyed: our keys; required: the accepted values as a YAML list; ignored: empty
  const char* note;        ///< reason or remark
  bool announced = false;  ///< ignored, and said aloud at the start when it has a value
};

[[nodiscard]] const std::vector<DlcKey>& dlc_keys();

/// What was read.
struct DlcImport {
  RunConfig config;
  std::vector<std::string> bodyparts;
  std::vector<std::string> remarks;  ///< lines for the user: what was ignored that he may have counted on
};

/// Throws data::ConfigError naming file, line, key, value and reason when a key is unknown or a value is refused.
/// Transforms that the file leaves out are off, as in DeepLabCut.
[[nodiscard]] DlcImport read_dlc_config(const std::filesystem::path& file);
[[nodiscard]] DlcImport read_dlc_config_text(const std::string& yaml, const std::string& source);

/// DLC_CONFIG.md, from the table.
[[nodiscard]] std::string dlc_config_markdown();

}  // namespace ringpose::launch
