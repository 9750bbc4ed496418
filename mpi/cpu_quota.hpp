// How many CPUs' worth of time the control group of this process may use.
#pragma once
#include <filesystem>
#include <optional>

namespace ringpose::mpi {

/// CPUs (for example 1.5) that the Linux control groups allow, as `docker run --cpus` or Kubernetes limits set them;
/// the affinity mask does not show this limit. The smallest of the process's group and all groups above it, version 2
/// or 1. Empty where there is none. `root`: folder that holds proc/self/cgroup and sys/fs/cgroup. Never throws; what
/// cannot be read is no limit. Source: Linux kernel documentation, "Control Group v2" (cpu.max) and "CFS Bandwidth
/// Control" (cpu.cfs_quota_us).
[[nodiscard]] std::optional<double> cpu_quota(const std::filesystem::path& root = "/");

}  // namespace ringpose::mpi
