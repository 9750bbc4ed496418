#include "trainer/gradient_reducer.hpp"

#include <fmt/format.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <limits>
#include <memory>
#include <stdexcept>

#include "data/error.hpp"
#include "trainer/bucket_plan.hpp"
#include "trainer/device.hpp"

namespace ringpose::trainer {

namespace {

constexpr std::size_t kNoBucket = std::numeric_limits<std::size_t>::max();

std::int64_t floats_in(std::size_t bytes) {
  return static_cast<std::int64_t>((bytes + sizeof(float) - 1) / sizeof(float));
}

void require_dense(const torch::Tensor& parameter) {
  if (parameter.scalar_type() != torch::kFloat32 || !parameter.is_non_overlapping_and_dense())
    throw std::invalid_argument("GradientReducer: parameters must be dense float32 tensors.");
}

}  // namespace

/// Calls on_gradient() when autograd has added a parameter's gradient. Autograd runs all of one device's nodes on one
/// thread (the caller's for the CPU), and backward() returns after it, so nothing here needs a lock.
class GradientReducer::Hooks {
 public:
  explicit Hooks(GradientReducer& reducer) {
    for (std::size_t i = 0; i < reducer.parameters_.size(); ++i) {
      if (reducer.bucket_of_[i] == kNoBucket) continue;
      // A tensor holds its accumulator weakly: kept here, or the hook would vanish.
      auto accumulator = torch::autograd::impl::grad_accumulator(reducer.parameters_[i]);
      const auto key = accumulator->add_post_hook(std::make_unique<Hook>(reducer, i));
      held_.push_back({std::move(accumulator), key});
    }
  }
  ~Hooks() {
    for (const Held& held : held_) held.accumulator->del_post_hook(held.key);
  }
  Hooks(const Hooks&) = delete;
  Hooks& operator=(const Hooks&) = delete;

 private:
  struct Hook final : torch::autograd::FunctionPostHook {
    Hook(GradientReducer& r, std::size_t p) : reducer(r), parameter(p) {}
    torch::autograd::variable_list operator()(const torch::autograd::variable_list& outputs,
                                              const torch::autograd::variable_list&) override {
      reducer.on_gradient(parameter);
      return outputs;
    }
    GradientReducer& reducer;
    std::size_t parameter;
  };
  struct Held {
    std::shared_ptr<torch::autograd::Node> accumulator;
    std::uintptr_t key;
  };
  std::vector<Held> held_;
};

void ReducerOptions::validate() const {
  if (bucket_bytes < 1) throw data::ConfigError("run.bucket_bytes is 0, expected 1 or more.");
  if (first_bucket_bytes < 1) throw data::ConfigError("run.first_bucket_bytes is 0, expected 1 or more.");
}

GradientReducer::GradientReducer(std::vector<torch::Tensor> parameters, mpi::Backend* backend, ReducerOptions options)
    : parameters_(std::move(parameters)),
      bucket_of_(parameters_.size(), kNoBucket),
      backend_(backend),
      overlap_(options.overlap),
      arrived_(parameters_.size(), false) {
  options.validate();
  std::vector<std::int64_t> sizes;
  std::vector<std::size_t> trained;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (!parameters_[i].requires_grad()) continue;
    require_dense(parameters_[i]);
    sizes.push_back(parameters_[i].numel());
    trained.push_back(i);
  }
  const BucketPlan plan = plan_buckets(sizes, floats_in(options.bucket_bytes), floats_in(options.first_bucket_bytes));
  plan_hash_ = trainer::plan_hash(plan);
  for (const trainer::Bucket& planned : plan.buckets) {
    const auto like = parameters_[trained[planned.slots.front().parameter]].options().requires_grad(false);
    torch::Tensor flat = torch::zeros({planned.elements}, like);
    for (const BucketSlot& slot : planned.slots) {
      torch::Tensor& parameter = parameters_[trained[slot.parameter]];
      // Autograd adds into a defined gradient in place. A tensor over the same storage is no view in autograd's eyes.
      parameter.mutable_grad() =
          torch::empty({0}, like).set_(flat.storage(), slot.offset, parameter.sizes(), parameter.strides());
      bucket_of_[trained[slot.parameter]] = buckets_.size();
    }
    buckets_.push_back({std::move(flat), planned.slots.size(), 0});
  }
  if (backend_ != nullptr && overlap_) hooks_ = std::make_unique<Hooks>(*this);
}

GradientReducer::~GradientReducer() = default;

void GradientReducer::zero_gradients() {
  for (Bucket& bucket : buckets_) bucket.flat.zero_();
}

void GradientReducer::overlap_next_backward() {
  if (hooks_ == nullptr) return;
  if (!launched_.empty()) throw std::logic_error("GradientReducer: reduce() was left out after a backward pass.");
  armed_ = true;
  arrived_.assign(parameters_.size(), false);
  for (Bucket& bucket : buckets_) bucket.pending = bucket.parameters;
}

void GradientReducer::on_gradient(std::size_t parameter) {
  if (!armed_) return;
  if (arrived_[parameter])
    throw std::logic_error(
        fmt::format("GradientReducer: parameter {} got a second gradient after overlap_next_backward(), when its first "
                    "may have been sent already.",
                    parameter));
  arrived_[parameter] = true;
  --buckets_[bucket_of_[parameter]].pending;
  // Only in index order, whatever order backward takes: all ranks must start the same collectives alike.
  while (launched_.size() < buckets_.size() && buckets_[launched_.size()].pending == 0) launch_next();
}

void GradientReducer::launch_next() {
  torch::Tensor& flat = buckets_[launched_.size()].flat;
  const mpi::DeviceSpan span{flat.data_ptr(), static_cast<std::size_t>(flat.numel()), mpi::DataType::f32};
  launched_.push_back(backend_->all_reduce(span, mpi::ReduceOp::sum, current_stream(flat.device())));
}

void GradientReducer::reduce() {
  if (backend_ == nullptr || buckets_.empty()) return;
  overlapped_ = launched_.size();
  unreached_.clear();
  for (std::size_t i = 0; armed_ && i < parameters_.size(); ++i)
    if (bucket_of_[i] != kNoBucket && !arrived_[i]) unreached_.push_back(i);
  armed_ = false;
  while (launched_.size() < buckets_.size()) launch_next();
  const mpi::StreamHandle stream = current_stream(buckets_.front().flat.device());
  for (const auto& work : launched_) work->wait(stream);
  launched_.clear();
}

}  // namespace ringpose::trainer
