#include "launch/path_checks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "data/error.hpp"

namespace ringpose::launch {
namespace {

namespace fs = std::filesystem;

/// Absolute, links followed as far as the path exists.
fs::path resolved(const fs::path& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  const fs::path canonical = fs::weakly_canonical(absolute, error);
  const fs::path& best = error ? absolute : canonical;
  return best.has_filename() ? best : best.parent_path();
}

bool lies_in(const fs::path& file, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first == folder.end();
}

void require_file_or_folder(const NamedPath& input) {
  std::error_code error;
  const fs::file_status status = fs::status(input.path, error);
  if (!fs::exists(status) || fs::is_regular_file(status) || fs::is_directory(status)) return;
  throw data::IoError(
      fmt::format("cannot read {} {}: it is a pipe or device, expected a file. Write it to a file first.", input.option,
                  input.path.string()));
}

void require_free(const NamedPath& output, const std::vector<NamedPath>& others, const char* use) {
  for (const NamedPath& other : others)
    if (!other.path.empty() && &other != &output && resolved(other.path) == resolved(output.path))
      throw data::ConfigError(fmt::format("{} {} is also {} {}: it would be {}. Choose another name for one of them.",
                                          output.option, output.path.string(), other.option, other.path.string(), use));
}

void require_report_name(const NamedPath& output, const std::vector<NamedPath>& folders) {
  for (const NamedPath& folder : folders)
    if (!folder.path.empty() && output.path.extension() != ".json" &&
        lies_in(resolved(output.path), resolved(folder.path)))
      throw data::ConfigError(fmt::format(
          "{} {} lies in {} {}, whose own files it could replace. Let its name end in .json, or choose another folder.",
          output.option, output.path.string(), folder.option, folder.path.string()));
}

}  // namespace

void require_distinct_paths(const CommandPaths& paths) {
  for (const NamedPath& input : paths.inputs)
    if (!input.path.empty()) require_file_or_folder(input);
  for (const NamedPath& output : paths.outputs) {
    if (output.path.empty()) continue;
    require_free(output, paths.inputs, "overwritten");
    require_free(output, paths.outputs, "written twice");
    require_free(output, paths.output_folders, "file and folder at once");
    require_report_name(output, paths.output_folders);
  }
}

}  // namespace ringpose::launch
