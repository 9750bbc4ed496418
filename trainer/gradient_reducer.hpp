// Sums gradients over ranks: gradients are slices of flat buckets, each bucket one all-reduce.
#pragma once
#include <torch/types.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mpi/backend.hpp"

namespace ringpose::trainer {

struct ReducerOptions {
  std::size_t bucket_bytes = std::size_t{25} << 20;
  /// Throws data::ConfigError when 0.
  void validate() const;
};

/// Lays every parameter's grad() out in flat buckets (bucket_plan.hpp) and keeps it there: zero with zero_gradients(),
/// never by an optimizer's zero_grad. Parameters are float32, dense, on one device. Gradients are summed, never
/// averaged: the losses are already divided by counts over the global batch.
class GradientReducer {
 public:
  /// `backend` must outlive the reducer; nullptr means a single rank, which has nothing to add.
  GradientReducer(std::vector<torch::Tensor> parameters, mpi::Backend* backend, ReducerOptions options);
  void zero_gradients();
  /// Sum over all ranks, in place, buckets in fixed order. After it returns the current stream sees the sums.
  /// Throws mpi::MpiError or mpi::DeviceError.
  void reduce();
  /// 64-bit hash of sizes, order and buckets; ranks must agree before training.
  [[nodiscard]] std::uint64_t plan_hash() const { return plan_hash_; }
  [[nodiscard]] std::size_t bucket_count() const { return buckets_.size(); }

 private:
  std::vector<torch::Tensor> parameters_;
  std::vector<torch::Tensor> buckets_;
  mpi::Backend* backend_;
  std::uint64_t plan_hash_ = 0;
};

}  // namespace ringpose::trainer
