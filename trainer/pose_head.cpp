#include "trainer/pose_head.hpp"

#include <torch/nn/init.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>

namespace ringpose::trainer {

namespace {

namespace nn = torch::nn;

constexpr int kKernel = 3;
constexpr double kInitialDeviation = 0.001;

/// One map: named deconv_layers.0 like DeepLabCut's.
class DeconvImpl : public nn::Module {
 public:
  DeconvImpl(int in, int out) {
    nn::ConvTranspose2d layer(nn::ConvTranspose2dOptions(in, out, kKernel).stride(kHeadUpsampling));
    nn::init::normal_(layer->weight, 0, kInitialDeviation);
    nn::init::zeros_(layer->bias);
    deconv_layers_ = register_module("deconv_layers", nn::Sequential(layer));
  }
  torch::Tensor forward(const torch::Tensor& x) { return deconv_layers_->forward(x); }

 private:
  nn::Sequential deconv_layers_{nullptr};
};
TORCH_MODULE(Deconv);

}  // namespace

struct PoseHead::Layers {
  Deconv heatmap{nullptr};
  Deconv locref{nullptr};
};

PoseHead::PoseHead(int feature_channels, int keypoints) : layers_(std::make_shared<Layers>()) {
  layers_->heatmap = register_module("heatmap_head", Deconv(feature_channels, keypoints));
  layers_->locref = register_module("locref_head", Deconv(feature_channels, 2 * keypoints));
}

PoseOutput PoseHead::forward(const torch::Tensor& features_NCab) {
  return {layers_->heatmap(features_NCab), layers_->locref(features_NCab)};
}

}  // namespace ringpose::trainer
