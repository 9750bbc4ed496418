// The network: ResNet backbone with GroupNorm at output stride 16, heatmap and location-refinement heads (stride 8).
// Module names are those of DeepLabCut's state_dict (backbone.model.*, heads.bodypart.*), so tensors map one to one.
// Source: DeepLabCut pose_estimation_pytorch/models, timm/models/resnet.py.
#pragma once
#include <torch/nn/cloneable.h>
#include <torch/nn/module.h>
#include <torch/types.h>

#include <memory>
#include <string>

#include "trainer/backbone.hpp"
#include "trainer/normalize.hpp"  // images to the model's input
#include "trainer/pose_head.hpp"

namespace ringpose::trainer {

struct PoseModelOptions {
  std::string net_type = "resnet_50";  ///< resnet_50 | resnet_18
  int keypoints = 1;                   ///< K
  /// Throws data::ConfigError on an unknown net_type or keypoints < 1.
  void validate() const;
};

/// Maps normalised images [N,3,H,W] to PoseOutput. Weights start as DeepLabCut's without ImageNet: timm's random
/// initialisation in the backbone (last norm of each block zero), heads N(0, 0.001) with zero bias; drawn from torch's
/// global generator. named_parameters() lists them in DeepLabCut's order. Not thread-safe while training.
class PoseModel : public torch::nn::Module {
 public:
  /// Throws data::ConfigError, see PoseModelOptions::validate.
  explicit PoseModel(const PoseModelOptions& options);
  [[nodiscard]] PoseOutput forward(const torch::Tensor& images_NCHW);
  [[nodiscard]] const PoseModelOptions& options() const { return options_; }
  /// Input pixels a heatmap cell covers: 8.
  static constexpr int kStride = kBackboneStride / kHeadUpsampling;

 private:
  PoseModelOptions options_;
  std::shared_ptr<ResNet> backbone_;
  std::shared_ptr<PoseHead> head_;
};

/// Cells of a heatmap along an image side of `pixels`: 2*ceil(pixels/16)+1.
[[nodiscard]] constexpr int heatmap_cells(int pixels) {
  return kHeadUpsampling * ((pixels + kBackboneStride - 1) / kBackboneStride) + 1;
}

}  // namespace ringpose::trainer
