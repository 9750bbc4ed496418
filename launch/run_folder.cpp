#include "launch/run_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "data/atomic_file.hpp"
#include "data/error.hpp"
#include "trainer/metrics_sink.hpp"
#include "trainer/snapshots.hpp"

namespace ringpose::launch {

namespace {

constexpr const char* kRunYaml = "run.yaml";

/// What a run leaves that ended before its first snapshot: nothing that a new run would lose.
bool holds_no_progress(const std::filesystem::path& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name != kRunYaml && name != trainer::kMetricsFile) return false;
  }
  return true;
}

}  // namespace

void require_free_run_folder(const std::filesystem::path& folder, const ResumeRequest& resume) {
  std::error_code none;
  if (std::filesystem::exists(folder, none) && !std::filesystem::is_directory(folder, none))
    throw data::ConfigError(fmt::format("--output {} is a file, expected a folder for the run.", folder.string()));
  if (resume || !std::filesystem::exists(folder, none) || holds_no_progress(folder)) return;
  throw data::ConfigError(fmt::format(
      "The run folder {} is not empty, and nothing in it is overwritten. Add --resume to continue the run in it, or "
      "choose another --output.",
      folder.string()));
}

std::filesystem::path find_resume_snapshot(const std::filesystem::path& folder,
                                           const std::filesystem::path& requested) {
  if (!requested.empty()) return requested;
  if (const auto newest = trainer::latest_checkpoint(folder)) return *newest;
  throw data::ConfigError(
      fmt::format("--resume: there is no snapshot-<epoch>.safetensors in {}. Start the run without --resume, or name a "
                  "snapshot with "
                  "--resume PATH.",
                  folder.string()));
}

std::filesystem::path find_model_snapshot(const std::filesystem::path& model) {
  std::error_code error;
  if (!std::filesystem::is_directory(model, error)) {
    if (std::filesystem::exists(model, error) && model.extension() != ".safetensors")
      throw data::FormatError(
          fmt::format("{} is no snapshot: expected a file snapshot-*.safetensors or a run folder.", model.string()));
    return model;
  }
  if (const auto best = trainer::best_checkpoint(model)) return *best;
  if (const auto latest = trainer::latest_checkpoint(model)) return *latest;
  throw data::IoError(
      fmt::format("Looking for a trained network in the folder {}: it holds no snapshot-*.safetensors. Train first, or "
                  "name a snapshot file.",
                  model.string()));
}

RunFolderLock::RunFolderLock(const std::filesystem::path& folder)
    : descriptor_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (descriptor_ < 0 || ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  ::close(descriptor_);
  throw data::ConfigError(
      fmt::format("Another run is writing to the run folder {}: wait until it has ended, or choose another --output.",
                  folder.string()));
}

RunFolderLock::~RunFolderLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

RunFolderLock create_run_folder(const std::filesystem::path& folder, const std::string& config_yaml) {
  std::error_code error;
  const bool made = std::filesystem::create_directories(folder, error);
  if (error) throw data::IoError(data::io_message("create the run folder", folder, error.value()));
  try {
    RunFolderLock lock(folder);
    data::write_file_atomically(folder / kRunYaml, config_yaml);
    return lock;
  } catch (...) {
    if (made) std::filesystem::remove(folder, error);
    throw;
  }
}

}  // namespace ringpose::launch
