#include "trainer/snapshots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <system_error>

namespace ringpose::trainer {

std::string file_name(const SnapshotName& name) {
  if (name.best) return fmt::format("snapshot-best-{:03}.safetensors", name.epoch);
  if (name.step > 0) return fmt::format("snapshot-{:03}-step-{:04}.safetensors", name.epoch, name.step);
  return fmt::format("snapshot-{:03}.safetensors", name.epoch);
}

std::optional<SnapshotName> parse_snapshot_name(const std::string& name) {
  static const std::regex pattern(R"(snapshot-(best-)?(\d{3,12})(?:-step-(\d{4,12}))?\.safetensors)");
  std::smatch parts;
  if (!std::regex_match(name, parts, pattern)) return std::nullopt;
  const SnapshotName parsed{std::stoll(parts[2]), parts[3].matched ? std::stoll(parts[3]) : 0, parts[1].matched};
  if (file_name(parsed) != name) return std::nullopt;
  return parsed;
}

std::vector<SnapshotName> list_snapshots(const std::filesystem::path& folder) {
  std::vector<SnapshotName> found;
  std::error_code none;
  for (std::filesystem::directory_iterator entry(folder, none), end; !none && entry != end; entry.increment(none))
    if (const auto name = parse_snapshot_name(entry->path().filename().string())) found.push_back(*name);
  std::sort(found.begin(), found.end());
  return found;
}

namespace {

std::optional<std::filesystem::path> newest(const std::filesystem::path& folder, bool best) {
  std::optional<std::filesystem::path> path;
  for (const SnapshotName& name : list_snapshots(folder))
    if (name.best == best) path = folder / file_name(name);
  return path;
}

}  // namespace

std::optional<std::filesystem::path> latest_checkpoint(const std::filesystem::path& folder) {
  return newest(folder, false);
}

std::optional<std::filesystem::path> best_checkpoint(const std::filesystem::path& folder) {
  return newest(folder, true);
}

std::vector<SnapshotName> surplus_snapshots(const std::vector<SnapshotName>& present, int keep) {
  std::vector<SnapshotName> regular, best;
  for (const SnapshotName& name : present) (name.best ? best : regular).push_back(name);
  std::vector<SnapshotName> surplus;
  const auto drop_oldest = [&surplus](std::vector<SnapshotName>& names, std::size_t kept) {
    std::sort(names.begin(), names.end());
    for (std::size_t i = 0; i + kept < names.size(); ++i) surplus.push_back(names[i]);
  };
  drop_oldest(regular, static_cast<std::size_t>(std::max(keep, 1)));
  drop_oldest(best, 1);
  return surplus;
}

}  // namespace ringpose::trainer
