// The pose model as the golden files were made with: randomised weights, whole-batch loss, gradients by name.
#pragma once
#include <torch/types.h>

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/golden_values.hpp"
#include "trainer/losses.hpp"
#include "trainer/pose_model.hpp"
#include "trainer/targets.hpp"

namespace ringpose::tests {

inline void set_golden_weights(trainer::PoseModel& model) {
  const torch::NoGradGuard no_grad;
  for (auto& item : model.named_parameters()) item.value().copy_(golden_weight(item.key(), item.value().sizes().vec()));
}

/// DeepLabCut's losses of a batch that one rank holds alone, in the precision of `output`.
inline trainer::Losses golden_losses(const trainer::PoseOutput& output, const torch::Tensor& keypoints_NK2) {
  const torch::Tensor keypoints = keypoints_NK2.contiguous();
  const int h = static_cast<int>(output.heatmap_NKhw.size(2)), w = static_cast<int>(output.heatmap_NKhw.size(3));
  const std::span<const float> values(keypoints.const_data_ptr<float>(), static_cast<std::size_t>(keypoints.numel()));
  const trainer::TargetOptions options;
  trainer::Targets targets =
      trainer::make_targets(keypoints, torch::ones({keypoints.size(0)}), h, w, trainer::PoseModel::kStride, options);
  for (torch::Tensor* map :
       {&targets.heatmap_NKhw, &targets.heatmap_weight_NK11, &targets.locref_N2Khw, &targets.locref_mask_N2Khw})
    *map = map->to(output.heatmap_NKhw.scalar_type());
  return trainer::pose_loss(
      output, targets,
      trainer::count_targets(values, static_cast<int>(keypoints.size(1)), h, w, trainer::PoseModel::kStride, options),
      {});
}

inline std::vector<std::pair<std::string, torch::Tensor>> named_gradients(const trainer::PoseModel& model) {
  std::vector<std::pair<std::string, torch::Tensor>> gradients;
  for (const auto& item : model.named_parameters()) gradients.emplace_back(item.key(), item.value().grad());
  return gradients;
}

}  // namespace ringpose::tests
