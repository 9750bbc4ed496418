// Names and lifetimes of the snapshot files in a run folder.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ringpose::trainer {

/// What a snapshot's file name tells. Names follow DeepLabCut: snapshot-025, snapshot-best-040; a stop within an epoch
/// adds its step: snapshot-025-step-0007.
struct SnapshotName {
  std::int64_t epoch = 0;  ///< finished epochs
  std::int64_t step = 0;   ///< steps into the next epoch
  bool best = false;
  auto operator<=>(const SnapshotName&) const = default;
};

/// For example "snapshot-025.safetensors".
[[nodiscard]] std::string file_name(const SnapshotName& name);
/// Nothing for any other file, temporary ones included.
[[nodiscard]] std::optional<SnapshotName> parse_snapshot_name(const std::string& file_name);
/// All snapshots of a folder, oldest first; empty when the folder is missing.
[[nodiscard]] std::vector<SnapshotName> list_snapshots(const std::filesystem::path& folder);

/// Newest snapshot that training can go on from (not the best ones, which hold no optimizer state), by number of
/// updates.
[[nodiscard]] std::optional<std::filesystem::path> latest_checkpoint(const std::filesystem::path& folder);
/// The snapshot with the lowest test error; nothing when there was no evaluation.
[[nodiscard]] std::optional<std::filesystem::path> best_checkpoint(const std::filesystem::path& folder);

/// Snapshots to delete so that the `keep` newest regular ones and the newest best one remain. Pure.
[[nodiscard]] std::vector<SnapshotName> surplus_snapshots(const std::vector<SnapshotName>& present, int keep);

}  // namespace ringpose::trainer
