#include "launch/json_report.hpp"

#include <cerrno>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "data/atomic_file.hpp"
#include "data/error.hpp"

namespace ringpose::launch {

namespace {

bool is_report(const std::filesystem::path& file) {
  std::ifstream stream(file);
  const auto json = nlohmann::json::parse(stream, nullptr, /*allow_exceptions=*/false);
  return json.is_object() && json.contains("command");
}

/// The folder itself, or the nearest above it that exists.
std::filesystem::path nearest_folder(std::filesystem::path folder) {
  std::error_code error;
  while (folder.has_relative_path() && !std::filesystem::exists(folder, error)) folder = folder.parent_path();
  if (!std::filesystem::is_directory(folder, error))
    throw data::IoError(data::io_message("write a report below", folder, ENOTDIR));
  return folder;
}

}  // namespace

nlohmann::json json_number(double value) {
  return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(nullptr);
}

void require_writable_report(const std::string& file) {
  if (file.empty()) return;
  const std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
  const std::filesystem::path there = nearest_folder(folder);
  if (there != folder) {
    const data::AtomicFile probe(there / std::filesystem::path(file).filename());
    return;
  }
  data::require_replaceable(file, "report of ringpose", is_report);
  const data::AtomicFile probe(file);
}

void write_json_report(const std::string& file, const nlohmann::json& report) {
  if (file.empty()) return;
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  std::error_code error;
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error) throw data::IoError(data::io_message("make the folder", folder, error.value()));
  data::require_replaceable(file, "report of ringpose", is_report);
  // Names of an old project may not be UTF-8; the report is written all the same.
  data::write_file_atomically(file, report.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

}  // namespace ringpose::launch
