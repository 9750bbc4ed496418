// Which GPU and how many CPU threads a rank takes.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "mpi/communicator.hpp"

namespace ringpose::mpi {

/// Where one rank sits on its node.
struct Placement {
  int local_rank = 0;       ///< from MPI_Comm_split_type(SHARED), never from the environment
  int local_size = 1;       ///< ranks on this node
  int device_count = 0;     ///< GPUs visible to this rank; 0 without CUDA or driver
  int device_ordinal = -1;  ///< local_rank modulo device_count; -1 without GPU
  int cpu_threads = 1;      ///< this rank's share of the cores it may run on
  std::string describe() const;
};

/// Cores a rank may run on: bit n of word n / 64, as sched_getaffinity writes them. Enough for 8192 cores.
using CoreMask = std::array<std::uint64_t, 128>;

/// Threads for rank `local_rank`: each core of its mask counts 1 / (number of local ranks that may run on it), rounded
/// down, at least 1. So ranks bound to cores of their own get all of these, and ranks that share one mask divide it.
[[nodiscard]] int share_of_cores(std::span<const CoreMask> masks, int local_rank);

/// `cores` limited by the control group's CPU quota, which the ranks of a node divide; at least 1.
[[nodiscard]] int limit_by_quota(int cores, std::optional<double> quota_cpus, int local_size);

/// Collective over `world`. Cores are counted from the affinity mask and divided over the ranks that share it; a
/// container's CPU quota limits them.
[[nodiscard]] Placement place_rank(const Communicator& world);

}  // namespace ringpose::mpi
