// DeepLabCut's criteria, as sums over the local rows divided by counts over the global batch: the ranks' gradients add
// up to the gradient of the global batch and are summed, never averaged. Source: DeepLabCut
// models/criterions/weighted.py.
#pragma once
#include <torch/types.h>

#include "trainer/pose_model.hpp"
#include "trainer/targets.hpp"

namespace ringpose::trainer {

struct LossOptions {
  double heatmap_weight = 1.0;
  double locref_weight = 0.05;
  /// Throws data::ConfigError on a negative weight.
  void validate() const;
};

/// Scalars, this rank's share: their sum over ranks is DeepLabCut's loss of the global batch.
struct Losses {
  torch::Tensor heatmap;  ///< weighted MSE, before heatmap_weight
  torch::Tensor locref;   ///< weighted Huber (delta 1), before locref_weight
  torch::Tensor total;    ///< (heatmap_weight*heatmap + locref_weight*locref) / 2, DeepLabCut's mean over criteria
};

/// A count of 0 is replaced by 1.
[[nodiscard]] Losses pose_loss(const PoseOutput& output, const Targets& targets, const TargetCounts& global_counts,
                               const LossOptions& options);

}  // namespace ringpose::trainer
