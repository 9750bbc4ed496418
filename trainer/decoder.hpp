// Maps to keypoints. Source: DeepLabCut predictors/single_predictor.py (HeatmapPredictor).
#pragma once
#include <torch/types.h>

#include "trainer/pose_model.hpp"

namespace ringpose::trainer {

struct DecodeOptions {
  double locref_std = 7.2801;
  bool clip_scores = true;  ///< likelihood into [0, 1]
};

/// [N,K,3] float32 (x_px, y_px, likelihood): global argmax of each heatmap, moved by the location refinement of that
/// cell.
[[nodiscard]] torch::Tensor decode(const PoseOutput& output, int stride, const DecodeOptions& options = {});

}  // namespace ringpose::trainer
