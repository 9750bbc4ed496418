// Which GPU and how many CPU threads a rank takes.
#pragma once
#include <string>

#include "mpi/communicator.hpp"

namespace ringpose::mpi {

/// Where one rank sits on its node.
struct Placement {
  int local_rank = 0;      ///< from MPI_Comm_split_type(SHARED), never from the environment
  int local_size = 1;      ///< ranks on this node
  int device_count = 0;    ///< GPUs visible to this rank; 0 without CUDA or driver
  int device_ordinal = -1; ///< local_rank modulo device_count; -1 without GPU
  int cpu_threads = 1;     ///< this rank's share of the cores it may run on
  std::string describe() const;
};

/// Collective over `world`. Cores are counted from the affinity mask and divided over the ranks that share it.
[[nodiscard]] Placement place_rank(const Communicator& world);

}  // namespace ringpose::mpi
