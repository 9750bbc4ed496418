// The two heads on the features: heatmaps and location refinement, one transposed convolution each.
// Source: DeepLabCut models/heads/simple_head.py (HeatmapHead, DeconvModule), models/weight_init.py (Normal).
#pragma once
#include <torch/nn/cloneable.h>
#include <torch/nn/module.h>
#include <torch/types.h>

#include <memory>

namespace ringpose::trainer {

/// Raw head outputs. h = 2*ceil(H/16)+1 and w likewise.
struct PoseOutput {
  torch::Tensor heatmap_NKhw;  ///< no sigmoid
  torch::Tensor locref_N2Khw;  ///< channels (2k, 2k+1) = (dx, dy) / locref_std
};

/// Maps features [N,C,a,b] to maps [N,*,2a+1,2b+1]. Weights start as N(0, 0.001), biases as 0.
class PoseHead : public torch::nn::Module {
 public:
  PoseHead(int feature_channels, int keypoints);
  [[nodiscard]] PoseOutput forward(const torch::Tensor& features_NCab);

 private:
  struct Layers;
  std::shared_ptr<Layers> layers_;
};

/// Output cells per feature cell along one axis.
inline constexpr int kHeadUpsampling = 2;

}  // namespace ringpose::trainer
