// Sums gradients over ranks while backward still runs: gradients are slices of flat buckets, each bucket one
// all-reduce, started as soon as backward has filled it. Source of the procedure: Li et al. 2020 (PyTorch Distributed),
// for a model whose parameters are the same in every step.
#pragma once
#include <torch/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "mpi/backend.hpp"

namespace ringpose::trainer {

struct ReducerOptions {
  std::size_t bucket_bytes = std::size_t{25} << 20;
  std::size_t first_bucket_bytes = std::size_t{1} << 20;  ///< small, so that the first sum starts early
  bool overlap = true;                                    ///< false: all sums start after backward
  /// Throws data::ConfigError when a size is 0.
  void validate() const;
};

/// Lays every trainable parameter's grad() out in flat buckets (bucket_plan.hpp) and keeps it there: zero with
/// zero_gradients(), never by an optimizer's zero_grad. Parameters are float32, dense, on one device; those that do not
/// require a gradient are left alone. Gradients are summed, never averaged: the losses are already divided by counts
/// over the global batch.
///
/// An update is: zero_gradients(), any number of backward passes that only add up, overlap_next_backward(), the last
/// backward pass, reduce(). Without overlap_next_backward() reduce() starts all sums itself.
class GradientReducer {
 public:
  /// `backend` must outlive the reducer; nullptr means a single rank, which has nothing to add.
  GradientReducer(std::vector<torch::Tensor> parameters, mpi::Backend* backend, ReducerOptions options);
  ~GradientReducer();
  GradientReducer(const GradientReducer&) = delete;
  GradientReducer& operator=(const GradientReducer&) = delete;

  void zero_gradients();
  /// The next backward pass is the last one of the update: buckets are sent off while it runs, in their fixed order.
  void overlap_next_backward();
  /// Sum over all ranks, in place, buckets in fixed order. Also of parameters that backward did not reach: their zeros
  /// are sent, as other ranks wait for them. After it returns the current stream sees the sums. Throws mpi::MpiError or
  /// mpi::DeviceError.
  void reduce();

  /// 64-bit hash of sizes, order and buckets; ranks must agree before training.
  [[nodiscard]] std::uint64_t plan_hash() const { return plan_hash_; }
  [[nodiscard]] std::size_t bucket_count() const { return buckets_.size(); }
  /// Buckets of the last update whose sum began before backward ended.
  [[nodiscard]] std::size_t overlapped_buckets() const { return overlapped_; }
  /// Parameters, by their number at construction, that the last overlapped backward pass gave no gradient.
  [[nodiscard]] const std::vector<std::size_t>& unreached_parameters() const { return unreached_; }

 private:
  class Hooks;
  struct Bucket {
    torch::Tensor flat;
    std::size_t parameters = 0;
    std::size_t pending = 0;  ///< parameters whose gradient is still to come
  };

  void on_gradient(std::size_t parameter);
  void launch_next();

  std::vector<torch::Tensor> parameters_;
  std::vector<std::size_t> bucket_of_;  ///< by parameter; kNoBucket when it requires no gradient
  std::vector<Bucket> buckets_;
  mpi::Backend* backend_;
  bool overlap_;
  std::uint64_t plan_hash_ = 0;
  bool armed_ = false;
  std::vector<bool> arrived_;  ///< by parameter, in the armed backward pass
  std::vector<std::unique_ptr<mpi::Work>> launched_;
  std::size_t overlapped_ = 0;
  std::vector<std::size_t> unreached_;
  std::unique_ptr<Hooks> hooks_;  // last: gone before what they point to
};

}  // namespace ringpose::trainer
