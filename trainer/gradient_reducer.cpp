#include "trainer/gradient_reducer.hpp"

#include <torch/types.h>
#include <torch/utils.h>

#include <memory>
#include <stdexcept>

#include "data/error.hpp"
#include "trainer/bucket_plan.hpp"
#include "trainer/device.hpp"

namespace ringpose::trainer {

void ReducerOptions::validate() const {
  if (bucket_bytes < 1) throw data::ConfigError("run.bucket_bytes is 0, expected 1 or more.");
}

GradientReducer::GradientReducer(std::vector<torch::Tensor> parameters, mpi::Backend* backend, ReducerOptions options)
    : parameters_(std::move(parameters)), backend_(backend) {
  options.validate();
  std::vector<std::int64_t> sizes;
  for (const torch::Tensor& parameter : parameters_) {
    if (parameter.scalar_type() != torch::kFloat32 || !parameter.is_non_overlapping_and_dense())
      throw std::invalid_argument("GradientReducer: parameters must be dense float32 tensors.");
    sizes.push_back(parameter.numel());
  }
  const auto capacity = static_cast<std::int64_t>((options.bucket_bytes + sizeof(float) - 1) / sizeof(float));
  const BucketPlan plan = plan_buckets(sizes, capacity);
  plan_hash_ = trainer::plan_hash(plan);
  for (const Bucket& bucket : plan.buckets) {
    const auto like = parameters_[bucket.slots.front().parameter].options().requires_grad(false);
    torch::Tensor flat = torch::zeros({bucket.elements}, like);
    for (const BucketSlot& slot : bucket.slots) {
      torch::Tensor& parameter = parameters_[slot.parameter];
      // Autograd adds into a defined gradient in place. A tensor over the same storage is no view in autograd's eyes.
      parameter.mutable_grad() =
          torch::empty({0}, like).set_(flat.storage(), slot.offset, parameter.sizes(), parameter.strides());
    }
    buckets_.push_back(std::move(flat));
  }
}

void GradientReducer::zero_gradients() {
  for (torch::Tensor& bucket : buckets_) bucket.zero_();
}

void GradientReducer::reduce() {
  if (backend_ == nullptr || buckets_.empty()) return;
  const mpi::StreamHandle stream = current_stream(buckets_.front().device());
  std::vector<std::unique_ptr<mpi::Work>> pending;
  pending.reserve(buckets_.size());
  for (torch::Tensor& bucket : buckets_) {
    const mpi::DeviceSpan span{bucket.data_ptr(), static_cast<std::size_t>(bucket.numel()), mpi::DataType::f32};
    pending.push_back(backend_->all_reduce(span, mpi::ReduceOp::sum, stream));
  }
  for (const auto& work : pending) work->wait(stream);
}

}  // namespace ringpose::trainer
