// Keypoints to training targets. Source: DeepLabCut target_generators/heatmap_targets.py (HeatmapGaussianGenerator).
#pragma once
#include <torch/types.h>

#include <cstdint>
#include <span>

namespace ringpose::trainer {

struct TargetOptions {
  double pos_dist_thresh_px = 17;  ///< radius of the location-refinement disc; Gaussian sigma = 2*17/3
  double locref_std = 7.2801;
  bool gradient_masking = false;   ///< leave channels without a label out of the heatmap loss
  double background_weight = 0.1;  ///< heatmap weight of such a channel when gradient_masking is on (0 removes it)
  /// Throws data::ConfigError naming the field.
  void validate() const;
};

/// All [N,...] on the device of the keypoints, float32.
struct Targets {
  torch::Tensor heatmap_NKhw;
  torch::Tensor heatmap_weight_NK11;  ///< broadcast over h, w; includes the row weight
  torch::Tensor locref_N2Khw;
  torch::Tensor locref_mask_N2Khw;  ///< 1 within the disc of a labelled keypoint, else 0; includes the row weight
};

/// keypoints_NK2 in input pixels, NaN = not labelled; weight_N 1 or 0 (padding). Cell (i, j) sits at (j*stride +
/// stride/2, i*stride + stride/2).
[[nodiscard]] Targets make_targets(const torch::Tensor& keypoints_NK2, const torch::Tensor& weight_N, int h, int w,
                                   int stride, const TargetOptions& options);

/// Numbers of non-zero weights over a whole global batch: DeepLabCut's denominators.
struct TargetCounts {
  std::int64_t heatmap = 0;
  std::int64_t locref = 0;
};

/// Counted from the keypoints of the global batch alone (B*K*2 floats), so each rank gets the same numbers without
/// communication.
[[nodiscard]] TargetCounts count_targets(std::span<const float> keypoints_BK2, int keypoints, int h, int w, int stride,
                                         const TargetOptions& options);

}  // namespace ringpose::trainer
