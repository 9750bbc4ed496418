#include "mpi/cpu_quota.hpp"

#include <algorithm>
#include <fstream>
#include <string>

namespace ringpose::mpi {

namespace {

namespace fs = std::filesystem;

/// cpu.max: "QUOTA PERIOD" in microseconds, or "max PERIOD".
std::optional<double> quota_v2(const fs::path& group) {
  std::ifstream file(group / "cpu.max");
  double quota_us = 0;
  double period_us = 0;
  if (!(file >> quota_us >> period_us) || quota_us <= 0 || period_us <= 0) return std::nullopt;
  return quota_us / period_us;
}

/// Two files; a quota of -1 is none.
std::optional<double> quota_v1(const fs::path& group) {
  std::ifstream quota_file(group / "cpu.cfs_quota_us");
  std::ifstream period_file(group / "cpu.cfs_period_us");
  double quota_us = 0;
  double period_us = 0;
  if (!(quota_file >> quota_us) || !(period_file >> period_us) || quota_us <= 0 || period_us <= 0) return std::nullopt;
  return quota_us / period_us;
}

void keep_smaller(std::optional<double>& least, const std::optional<double>& value) {
  if (value) least = std::min(least.value_or(*value), *value);
}

/// The group and all above it up to the mount. In a container the mount itself is often the group, whatever /proc says.
std::optional<double> smallest_upwards(const fs::path& mount, const std::string& group,
                                       std::optional<double> (*read)(const fs::path&)) {
  std::optional<double> least;
  for (fs::path path = fs::path(group).relative_path(); !path.empty(); path = path.parent_path())
    keep_smaller(least, read(mount / path));
  keep_smaller(least, read(mount));
  return least;
}

bool lists_cpu(const std::string& controllers) {
  return ("," + controllers + ",").find(",cpu,") != std::string::npos;
}

}  // namespace

std::optional<double> cpu_quota(const fs::path& root) {
  const fs::path mounts = root / "sys/fs/cgroup";
  std::ifstream groups(root / "proc/self/cgroup");
  std::optional<double> least;
  for (std::string line; std::getline(groups, line);) {  // hierarchy:controllers:path
    const auto first = line.find(':');
    const auto second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string group = line.substr(second + 1);
    if (controllers.empty()) keep_smaller(least, smallest_upwards(mounts, group, quota_v2));
    if (lists_cpu(controllers)) keep_smaller(least, smallest_upwards(mounts / controllers, group, quota_v1));
    if (lists_cpu(controllers) && controllers != "cpu")
      keep_smaller(least, smallest_upwards(mounts / "cpu", group, quota_v1));
  }
  return least;
}

}  // namespace ringpose::mpi
