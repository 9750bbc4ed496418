// Sums gradients over ranks: gradients are slices of flat buckets, each bucket one all-reduce.
#pragma once
#include <torch/types.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "mpi/backend.hpp"

namespace ringpose::trainer {

struct ReducerOptions {
  std::size_t bucket_bytes = std::size_t{25} << 20;
};

/// Lays every parameter's grad() out in flat buckets (reverse registration order) and keeps it there: zero with zero_gradients(),
/// never by an optimizer's zero_grad. The backend must outlive the reducer.
class GradientReducer {
 public:
  GradientReducer(std::vector<torch::Tensor> parameters, mpi::Backend& backend, ReducerOptions options);
  void zero_gradients();
  /// Sum over all ranks, in place, buckets in fixed order. After it returns the current stream sees the sums.
  void reduce();
  /// 64-bit hash of sizes, order and buckets; ranks must agree before training.
  [[nodiscard]] std::uint64_t plan_hash() const;

 private:
  std::vector<torch::Tensor> parameters_;
  std::vector<torch::Tensor> buckets_;
  mpi::Backend& backend_;
  std::uint64_t plan_hash_ = 0;
};

}  // namespace ringpose::trainer
