// The folder a training run writes to, and what a resumed run starts from. Called on rank 0 alone.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "trainer/checkpoint.hpp"

namespace ringpose::launch {

/// Where to resume: nothing: a new run; empty path: the newest snapshot of the run folder; else that file.
using ResumeRequest = std::optional<std::filesystem::path>;

/// Refuses a folder that holds something already, unless resuming; what a run leaves that ended before its first
/// snapshot (run.yaml, learning_stats.csv) is no obstacle. Throws data::ConfigError with what to do.
void require_free_run_folder(const std::filesystem::path& folder, const ResumeRequest& resume);

/// The snapshot to go on from. Throws data::ConfigError when the folder holds none.
[[nodiscard]] std::filesystem::path find_resume_snapshot(const std::filesystem::path& folder,
                                                         const std::filesystem::path& requested);

/// The snapshot to evaluate or analyze with: `model` itself when it is a file; a run folder's best snapshot, or its
/// newest where none was evaluated (DeepLabCut's rule for snapshotindex -1). Throws data::IoError when there is none.
[[nodiscard]] std::filesystem::path find_model_snapshot(const std::filesystem::path& model);

/// Keeps a second run out of a run folder while it lives, by an advisory lock (flock) on the folder, which the system
/// gives back however the process ends. File systems without such locks are used without.
class RunFolderLock {
 public:
  RunFolderLock() = default;
  /// Throws data::ConfigError when another process holds it.
  explicit RunFolderLock(const std::filesystem::path& folder);
  ~RunFolderLock();
  RunFolderLock(RunFolderLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  RunFolderLock& operator=(RunFolderLock&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }

 private:
  int descriptor_ = -1;
};

/// Makes the folder, locks it and writes `run.yaml`, the resolved configuration, into it. Throws data::ConfigError when
/// another run is at work there, data::IoError; a folder that was made is then removed again.
[[nodiscard]] RunFolderLock create_run_folder(const std::filesystem::path& folder, const std::string& config_yaml);

}  // namespace ringpose::launch
