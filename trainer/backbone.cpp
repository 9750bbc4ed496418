#include "trainer/backbone.hpp"

#include <fmt/format.h>
#include <torch/nn/functional/pooling.h>
#include <torch/nn/init.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/normalization.h>

#include "data/error.hpp"

namespace ringpose::trainer {

namespace {

namespace nn = torch::nn;

constexpr int kNormGroups = 32;

/// Where one residual block stands: its channels, stride, and dilations.
struct BlockOptions {
  int in_channels = 0;
  int planes = 0;
  int stride = 1;
  int first_dilation = 1;  ///< of the convolution that strides
  int dilation = 1;        ///< of the convolutions behind it
  bool downsample = false;
};

nn::Conv2d convolution(int in, int out, int kernel, int stride = 1, int dilation = 1) {
  const int padding = dilation * (kernel - 1) / 2;
  nn::Conv2d layer(nn::Conv2dOptions(in, out, kernel).stride(stride).padding(padding).dilation(dilation).bias(false));
  nn::init::kaiming_normal_(layer->weight, 0, torch::kFanOut, torch::kReLU);
  return layer;
}

nn::GroupNorm norm(int channels) {
  return nn::GroupNorm(nn::GroupNormOptions(kNormGroups, channels));
}

/// The last norm of a residual branch: gain 0, so that a fresh block is the identity.
nn::GroupNorm last_norm(int channels) {
  nn::GroupNorm layer = norm(channels);
  nn::init::zeros_(layer->weight);
  return layer;
}

nn::Sequential downsample_path(const BlockOptions& options, int out) {
  return nn::Sequential(convolution(options.in_channels, out, 1, options.stride), norm(out));
}

class BasicBlockImpl : public nn::Module {
 public:
  static constexpr int kExpansion = 1;

  explicit BasicBlockImpl(const BlockOptions& o)
      : conv1_(register_module("conv1", convolution(o.in_channels, o.planes, 3, o.stride, o.first_dilation))),
        bn1_(register_module("bn1", norm(o.planes))),
        conv2_(register_module("conv2", convolution(o.planes, o.planes, 3, 1, o.dilation))),
        bn2_(register_module("bn2", last_norm(o.planes))) {
    if (o.downsample) downsample_ = register_module("downsample", downsample_path(o, o.planes));
  }

  torch::Tensor forward(const torch::Tensor& x) {
    const torch::Tensor shortcut = downsample_ ? downsample_->forward(x) : x;
    torch::Tensor y = bn1_(conv1_(x)).relu_();
    y = bn2_(conv2_(y));
    return y.add_(shortcut).relu_();
  }

 private:
  nn::Conv2d conv1_;
  nn::GroupNorm bn1_;
  nn::Conv2d conv2_;
  nn::GroupNorm bn2_;
  nn::Sequential downsample_{nullptr};
};
TORCH_MODULE(BasicBlock);

class BottleneckImpl : public nn::Module {
 public:
  static constexpr int kExpansion = 4;

  explicit BottleneckImpl(const BlockOptions& o)
      : conv1_(register_module("conv1", convolution(o.in_channels, o.planes, 1))),
        bn1_(register_module("bn1", norm(o.planes))),
        conv2_(register_module("conv2", convolution(o.planes, o.planes, 3, o.stride, o.first_dilation))),
        bn2_(register_module("bn2", norm(o.planes))),
        conv3_(register_module("conv3", convolution(o.planes, kExpansion * o.planes, 1))),
        bn3_(register_module("bn3", last_norm(kExpansion * o.planes))) {
    if (o.downsample) downsample_ = register_module("downsample", downsample_path(o, kExpansion * o.planes));
  }

  torch::Tensor forward(const torch::Tensor& x) {
    const torch::Tensor shortcut = downsample_ ? downsample_->forward(x) : x;
    torch::Tensor y = bn1_(conv1_(x)).relu_();
    y = bn2_(conv2_(y)).relu_();
    y = bn3_(conv3_(y));
    return y.add_(shortcut).relu_();
  }

 private:
  nn::Conv2d conv1_;
  nn::GroupNorm bn1_;
  nn::Conv2d conv2_;
  nn::GroupNorm bn2_;
  nn::Conv2d conv3_;
  nn::GroupNorm bn3_;
  nn::Sequential downsample_{nullptr};
};
TORCH_MODULE(Bottleneck);

/// Shape of the network between two stages.
struct StageState {
  int channels = 64;
  int stride = 4;             ///< of the stem: convolution and pooling
  int dilation = 1;           ///< of the current stage
  int previous_dilation = 1;  ///< of the block before
};

template <typename Block>
nn::Sequential make_stage(int index, int blocks, StageState& state) {
  constexpr int expansion = Block::ContainedType::kExpansion;
  const int planes = 64 << index;
  int stride = index == 0 ? 1 : 2;
  if (state.stride >= kBackboneStride) {
    state.dilation *= stride;
    stride = 1;
  }
  state.stride *= stride;
  nn::Sequential stage;
  for (int block = 0; block < blocks; ++block) {
    const int block_stride = block == 0 ? stride : 1;
    const bool downsample = block_stride != 1 || state.channels != planes * expansion;
    stage->push_back(Block(BlockOptions{.in_channels = state.channels,
                                        .planes = planes,
                                        .stride = block_stride,
                                        .first_dilation = state.previous_dilation,
                                        .dilation = state.dilation,
                                        .downsample = downsample}));
    state.previous_dilation = state.dilation;
    state.channels = planes * expansion;
  }
  return stage;
}

}  // namespace

BackboneOptions backbone_options(const std::string& net_type) {
  if (net_type == "resnet_50") return {.bottleneck = true, .blocks = {3, 4, 6, 3}};
  if (net_type == "resnet_18") return {.bottleneck = false, .blocks = {2, 2, 2, 2}};
  throw data::ConfigError(
      fmt::format("net_type is '{}', expected resnet_50 or resnet_18 (the networks this version trains).", net_type));
}

struct ResNet::Layers {
  nn::Conv2d conv1{nullptr};
  nn::GroupNorm bn1{nullptr};
  std::array<nn::Sequential, 4> stages{nn::Sequential{nullptr}, nn::Sequential{nullptr}, nn::Sequential{nullptr},
                                       nn::Sequential{nullptr}};
};

ResNet::ResNet(const BackboneOptions& options) : layers_(std::make_shared<Layers>()) {
  StageState state;
  nn::Conv2d conv1(nn::Conv2dOptions(3, state.channels, 7).stride(2).padding(3).bias(false));
  nn::init::kaiming_normal_(conv1->weight, 0, torch::kFanOut, torch::kReLU);
  layers_->conv1 = register_module("conv1", conv1);
  layers_->bn1 = register_module("bn1", norm(state.channels));
  for (int i = 0; i < 4; ++i) {
    const auto index = static_cast<std::size_t>(i);
    layers_->stages[index] = register_module(
        fmt::format("layer{}", i + 1), options.bottleneck ? make_stage<Bottleneck>(i, options.blocks[index], state)
                                                          : make_stage<BasicBlock>(i, options.blocks[index], state));
  }
}

torch::Tensor ResNet::forward(const torch::Tensor& images_NCHW) {
  torch::Tensor x = layers_->bn1(layers_->conv1(images_NCHW)).relu_();
  x = nn::functional::max_pool2d(x, nn::functional::MaxPool2dFuncOptions(3).stride(2).padding(1));
  for (nn::Sequential& stage : layers_->stages) x = stage->forward(x);
  return x;
}

}  // namespace ringpose::trainer
