// The files a command names, looked at together before it starts: what could only fail or do harm is refused at once.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace ringpose::launch {

/// A path as it was given to an option.
struct NamedPath {
  std::string option;  ///< for messages: "--json", "DATA"
  std::filesystem::path path;
};

/// What a command reads and writes. Empty paths are options not given.
struct CommandPaths {
  std::vector<NamedPath> inputs;          ///< files or folders
  std::vector<NamedPath> outputs;         ///< files
  std::vector<NamedPath> output_folders;  ///< made or filled by the command
};

/// Throws data::IoError when an input exists but is neither a file nor a folder (a pipe would be waited for, maybe
/// forever), and data::ConfigError when an output is also an input or a second output, or lies in an output folder
/// under a name that does not end in .json. Follows links; no file needs to exist.
void require_distinct_paths(const CommandPaths& paths);

}  // namespace ringpose::launch
