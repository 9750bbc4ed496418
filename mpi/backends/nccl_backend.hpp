// The NCCL backend's maker: nccl_backend.cpp in a CUDA build, nccl_unavailable.cpp otherwise.
#pragma once
#include <memory>

#include "mpi/backend.hpp"

namespace ringpose::mpi {

/// Collective over `communicator`. `device_ordinal` is the CUDA device of this rank. Throws DeviceError.
[[nodiscard]] std::unique_ptr<Backend> make_nccl_backend(const Communicator& communicator, int device_ordinal);

}  // namespace ringpose::mpi
