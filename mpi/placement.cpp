#include "mpi/placement.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "mpi/cpu_quota.hpp"
#include "mpi/device.hpp"
#include "mpi/error.hpp"

namespace ringpose::mpi {

namespace {

constexpr int kBitsPerWord = 64;

bool has_core(const CoreMask& mask, std::size_t core) {
  return (mask[core / kBitsPerWord] >> (core % kBitsPerWord) & 1U) != 0;
}

CoreMask own_mask() {
  CoreMask mask{};
  if (sched_getaffinity(0, sizeof(mask), reinterpret_cast<cpu_set_t*>(mask.data())) == 0) return mask;
  // No mask to be had: count what the machine reports.
  const std::size_t cores = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, mask.size() * kBitsPerWord);
  for (std::size_t core = 0; core < cores; ++core)
    mask[core / kBitsPerWord] |= std::uint64_t{1} << (core % kBitsPerWord);
  return mask;
}

std::vector<CoreMask> gather_masks(const Communicator& node) {
  const CoreMask mine = own_mask();
  std::vector<CoreMask> masks(static_cast<std::size_t>(node.size()));
  const int words = static_cast<int>(mine.size());
  check_mpi(MPI_Allgather(mine.data(), words, MPI_UINT64_T, masks.data(), words, MPI_UINT64_T, node.handle()),
            "MPI_Allgather");
  return masks;
}

}  // namespace

std::string Placement::describe() const {
  const std::string device =
      device_ordinal < 0 ? std::string("no GPU") : fmt::format("GPU {} of {}", device_ordinal, device_count);
  return fmt::format("local rank {} of {}, {}, {} CPU thread{}", local_rank, local_size, device, cpu_threads,
                     cpu_threads == 1 ? "" : "s");
}

int share_of_cores(std::span<const CoreMask> masks, int local_rank) {
  const CoreMask& mine = masks[static_cast<std::size_t>(local_rank)];
  double share = 0;
  for (std::size_t core = 0; core < mine.size() * kBitsPerWord; ++core) {
    if (!has_core(mine, core)) continue;
    const auto ranks =
        std::count_if(masks.begin(), masks.end(), [core](const auto& mask) { return has_core(mask, core); });
    share += 1.0 / static_cast<double>(ranks);
  }
  constexpr double kRoundingSlack = 1e-6;  // three thirds are one core
  return std::max(1, static_cast<int>(share + kRoundingSlack));
}

int limit_by_quota(int cores, std::optional<double> quota_cpus, int local_size) {
  if (!quota_cpus) return cores;
  return std::clamp(static_cast<int>(*quota_cpus / local_size), 1, cores);
}

Placement place_rank(const Communicator& world) {
  const Communicator node = world.split_shared();
  Placement placement;
  placement.local_rank = node.rank();
  placement.local_size = node.size();
  placement.device_count = device_count();
  if (placement.device_count > 0) placement.device_ordinal = placement.local_rank % placement.device_count;
  const int cores = share_of_cores(gather_masks(node), node.rank());
  placement.cpu_threads = limit_by_quota(cores, cpu_quota(), node.size());
  return placement;
}

}  // namespace ringpose::mpi
