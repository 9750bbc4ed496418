// The network: ResNet backbone with GroupNorm at output stride 16, heatmap and location-refinement heads (stride 8).
// Module names are those of DeepLabCut's state_dict (backbone.model.*, heads.bodypart.*), so tensors map one to one.
// Source: DeepLabCut pose_estimation_pytorch/models, timm/models/resnet.py.
#pragma once
#include <torch/nn/cloneable.h>
#include <torch/nn/module.h>
#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <string>

namespace ringpose::trainer {

struct PoseModelOptions {
  std::string net_type = "resnet_50";  ///< resnet_50 | resnet_18
  int keypoints = 1;                   ///< K
  /// Throws data::ConfigError on an unknown net_type or keypoints < 1.
  void validate() const;
};

/// Raw head outputs. h = 2*ceil(H/16)+1 and w likewise.
struct PoseOutput {
  torch::Tensor heatmap_NKhw;  ///< no sigmoid
  torch::Tensor locref_N2Khw;  ///< channels (2k, 2k+1) = (dx, dy) / locref_std
};

/// Maps normalised images [N,3,H,W] to PoseOutput. Weights start as DeepLabCut's without ImageNet: timm's random
/// initialisation in the backbone (last norm of each block zero), heads N(0, 0.001) with zero bias; drawn from torch's global generator.
class PoseModel : public torch::nn::Module {
 public:
  explicit PoseModel(const PoseModelOptions& options);
  [[nodiscard]] PoseOutput forward(const torch::Tensor& images_NCHW);
  [[nodiscard]] const PoseModelOptions& options() const { return options_; }
  /// Input pixels a heatmap cell covers: 8.
  static constexpr int kStride = 8;

 private:
  PoseModelOptions options_;
  struct Parts;
  std::shared_ptr<Parts> parts_;
};

/// [N,H,W,3] u8 RGB to [N,3,H,W] float: (x/255 - mean)/std with ImageNet's mean and std. Same device as the input.
[[nodiscard]] torch::Tensor normalize_images(const torch::Tensor& images_NHWC);

}  // namespace ringpose::trainer
