// ResNet feature extractors with GroupNorm (32 groups) at output stride 16: ResNet-50 (timm's resnet50_gn) and
// ResNet-18. Source: timm/models/resnet.py (ResNet, BasicBlock, Bottleneck); He et al. 2015, Wu and He 2018.
#pragma once
#include <torch/nn/cloneable.h>
#include <torch/nn/module.h>
#include <torch/types.h>

#include <array>
#include <memory>
#include <string>

namespace ringpose::trainer {

/// Which residual block a network is made of, and how many in each of its four stages.
struct BackboneOptions {
  bool bottleneck = true;  ///< Bottleneck (ResNet-50) or BasicBlock (ResNet-18)
  std::array<int, 4> blocks{3, 4, 6, 3};
  /// Channels of the features: 2048 or 512.
  [[nodiscard]] int output_channels() const { return bottleneck ? 2048 : 512; }
};

/// Options of "resnet_50" or "resnet_18". Throws data::ConfigError for other names.
[[nodiscard]] BackboneOptions backbone_options(const std::string& net_type);

/// Stride of the features against the input image: the last stage dilates instead of striding.
inline constexpr int kBackboneStride = 16;

/// Maps [N,3,H,W] to features [N,C,ceil(H/16),ceil(W/16)]. Parameters carry timm's names in timm's order (conv1, bn1,
/// layer1.0.conv1, ...). Initial values are timm's: convolutions Kaiming-normal over fan-out, norms 1 and 0, the gain
/// of each block's last norm 0; drawn from torch's global generator.
class ResNet : public torch::nn::Module {
 public:
  explicit ResNet(const BackboneOptions& options);
  [[nodiscard]] torch::Tensor forward(const torch::Tensor& images_NCHW);

 private:
  struct Layers;
  std::shared_ptr<Layers> layers_;
};

}  // namespace ringpose::trainer
