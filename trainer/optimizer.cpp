#include "trainer/optimizer.hpp"

#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/zeros_like.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>

#include "data/error.hpp"

namespace ringpose::trainer {

namespace {

/// Same order in memory, axes of size 1 aside.
bool same_layout(const torch::Tensor& a, const torch::Tensor& b) {
  for (std::int64_t axis = 0; axis < a.dim(); ++axis)
    if (a.size(axis) != 1 && a.stride(axis) != b.stride(axis)) return false;
  return true;
}

/// The gradient in the parameter's memory order: the fused kernel walks both as flat arrays.
torch::Tensor gradient_of(const torch::Tensor& parameter, std::size_t index) {
  const torch::Tensor& gradient = parameter.grad();
  if (!gradient.defined())
    throw std::logic_error(fmt::format("AdamW::step: parameter {} has no gradient; run backward first.", index));
  if (same_layout(parameter, gradient)) return gradient.detach();
  return at::empty_strided(parameter.sizes(), parameter.strides(), parameter.options()).copy_(gradient.detach());
}

void check_state(const std::vector<torch::Tensor>& from, const std::vector<torch::Tensor>& to, const char* name) {
  if (from.size() != to.size())
    throw data::FormatError(
        fmt::format("Restoring the optimizer: {} holds {} tensors, expected {} (one a parameter). "
                    "Is the checkpoint of another network?",
                    name, from.size(), to.size()));
  for (std::size_t i = 0; i < to.size(); ++i)
    if (from[i].sizes() != to[i].sizes())
      throw data::FormatError(
          fmt::format("Restoring the optimizer: {} of parameter {} has shape [{}], expected [{}]. "
                      "Is the checkpoint of another network?",
                      name, i, fmt::join(from[i].sizes(), ","), fmt::join(to[i].sizes(), ",")));
}

}  // namespace

void AdamWOptions::validate() const {
  const auto check = [](bool good, const char* name, double value, const char* expected) {
    if (!good) throw data::ConfigError(fmt::format("optimizer.{} is {}, expected {}.", name, value, expected));
  };
  check(beta1 >= 0 && beta1 < 1, "beta1", beta1, "0 <= beta1 < 1");
  check(beta2 >= 0 && beta2 < 1, "beta2", beta2, "0 <= beta2 < 1");
  check(epsilon >= 0, "epsilon", epsilon, "0 or more");
  check(weight_decay >= 0, "weight_decay", weight_decay, "0 or more");
}

AdamW::AdamW(std::vector<torch::Tensor> parameters, AdamWOptions options)
    : parameters_(std::move(parameters)), options_(options) {
  options_.validate();
  for (const torch::Tensor& parameter : parameters_) {
    if (!parameter.is_non_overlapping_and_dense())
      throw std::logic_error("AdamW: a parameter has gaps in memory; make it contiguous first.");
    exp_avg_.push_back(at::zeros_like(parameter.detach()));
    exp_avg_sq_.push_back(at::zeros_like(parameter.detach()));
    step_tensors_.push_back(at::zeros({}, parameter.options().dtype(torch::kFloat32).requires_grad(false)));
  }
}

void AdamW::step(double learning_rate) {
  if (parameters_.empty()) return;
  const torch::NoGradGuard no_grad;
  std::vector<torch::Tensor> values, gradients;
  values.reserve(parameters_.size());
  gradients.reserve(parameters_.size());
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    values.push_back(parameters_[i].detach());
    gradients.push_back(gradient_of(parameters_[i], i));
  }
  at::_foreach_add_(step_tensors_, 1);
  at::_fused_adamw_(values, gradients, exp_avg_, exp_avg_sq_, /*max_exp_avg_sqs=*/{}, step_tensors_, learning_rate,
                    options_.beta1, options_.beta2, options_.weight_decay, options_.epsilon, /*amsgrad=*/false,
                    /*maximize=*/false);
  ++steps_taken_;
}

void AdamW::load_state(const std::vector<torch::Tensor>& exp_avg, const std::vector<torch::Tensor>& exp_avg_sq,
                       std::int64_t steps_taken) {
  check_state(exp_avg, exp_avg_, "exp_avg");
  check_state(exp_avg_sq, exp_avg_sq_, "exp_avg_sq");
  if (steps_taken < 0)
    throw data::FormatError(fmt::format("Restoring the optimizer: {} steps taken, expected 0 or more.", steps_taken));
  const torch::NoGradGuard no_grad;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    exp_avg_[i].copy_(exp_avg[i]);
    exp_avg_sq_[i].copy_(exp_avg_sq[i]);
    step_tensors_[i].fill_(static_cast<double>(steps_taken));
  }
  steps_taken_ = steps_taken;
}

}  // namespace ringpose::trainer
