// Makes every rank start from rank 0's tensors, and proves that ranks hold the same.
#pragma once
#include <torch/types.h>

#include <cstdint>
#include <span>
#include <stdexcept>

#include "mpi/backend.hpp"
#include "mpi/communicator.hpp"

namespace ringpose::trainer {

/// Ranks that should hold the same do not.
class DesyncError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Overwrites the tensors with rank 0's. Collective; dense tensors, float32 or int64, of equal sizes on all ranks.
void broadcast_tensors(std::span<const torch::Tensor> tensors, mpi::Backend& backend);

/// Hash over the bits, on the host (copies from the GPU).
[[nodiscard]] std::uint64_t hash_tensors(std::span<const torch::Tensor> tensors);

/// Collective. Throws DesyncError on every rank, naming `what`, unless all ranks pass the same value.
void require_equal(const mpi::Communicator& world, std::uint64_t value, const char* what);

}  // namespace ringpose::trainer
