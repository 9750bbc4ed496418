#include "trainer/losses.hpp"

#include <ATen/ops/huber_loss.h>
#include <ATen/ops/mse_loss.h>
#include <fmt/format.h>

#include <algorithm>

#include "data/error.hpp"

namespace ringpose::trainer {

namespace {

/// Sum of weighted elements over the count of the global batch.
torch::Tensor share(const torch::Tensor& elements, const torch::Tensor& weights, std::int64_t global_count) {
  return (elements * weights).sum() / static_cast<double>(std::max<std::int64_t>(global_count, 1));
}

}  // namespace

void LossOptions::validate() const {
  if (!(heatmap_weight >= 0))
    throw data::ConfigError(fmt::format("The heatmap loss weight is {}, expected 0 or more.", heatmap_weight));
  if (!(locref_weight >= 0))
    throw data::ConfigError(fmt::format("The locref loss weight is {}, expected 0 or more.", locref_weight));
}

Losses pose_loss(const PoseOutput& output, const Targets& targets, const TargetCounts& global_counts,
                 const LossOptions& options) {
  constexpr double kHuberDelta = 1.0;
  Losses losses;
  losses.heatmap = share(at::mse_loss(output.heatmap_NKhw, targets.heatmap_NKhw, at::Reduction::None),
                         targets.heatmap_weight_NK11, global_counts.heatmap);
  losses.locref = share(at::huber_loss(output.locref_N2Khw, targets.locref_N2Khw, at::Reduction::None, kHuberDelta),
                        targets.locref_mask_N2Khw, global_counts.locref);
  losses.total = (losses.heatmap * options.heatmap_weight + losses.locref * options.locref_weight) / 2;
  return losses;
}

}  // namespace ringpose::trainer
