// YAML nodes to configuration fields, with messages that name file and line. Included where yaml-cpp is at hand.
#pragma once
#include <yaml-cpp/yaml.h>

#include <string>
#include <vector>

#include "launch/config.hpp"

namespace ringpose::launch {

/// "run.yaml:7" (lines from 1), or the source alone for text without lines (--set).
[[nodiscard]] std::string place_of(const YAML::Node& node, const std::string& source);
/// Parses; throws data::ConfigError with file and line.
[[nodiscard]] YAML::Node parse_yaml(const std::string& yaml, const std::string& source);
/// Throws data::ConfigError: "<place>: <key> is '<text>', expected <kind>".
void assign_field(const ConfigField& field, const YAML::Node& node, const std::string& place);
/// The field of that name; throws data::ConfigError naming the nearest known key.
[[nodiscard]] const ConfigField& find_field(const std::vector<ConfigField>& fields, const std::string& key,
                                            const std::string& place);
/// Keys of a map in order. Throws data::ConfigError when one occurs twice.
[[nodiscard]] std::vector<std::string> keys_of(const YAML::Node& map, const std::string& source);

}  // namespace ringpose::launch
