#include "analysis/predictor.hpp"

#include <ATen/Context.h>
#include <fmt/format.h>
#include <torch/cuda.h>
#include <torch/utils.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "data/error.hpp"
#include "trainer/decoder.hpp"
#include "trainer/pose_model.hpp"

namespace ringpose::analysis {
namespace {

constexpr std::int64_t kChannels = 3;

/// Copies the checkpoint's tensors into the model; every parameter and buffer must be there with its shape, and nothing
/// else.
void load_weights(trainer::PoseModel& model, const trainer::Checkpoint& checkpoint) {
  std::map<std::string, torch::Tensor> saved(checkpoint.model.begin(), checkpoint.model.end());
  const auto load = [&](const std::string& name, torch::Tensor& target) {
    const auto found = saved.find(name);
    if (found == saved.end() || found->second.sizes() != target.sizes())
      throw data::FormatError(fmt::format(
          "the checkpoint does not fit its own network {} with {} bodyparts: tensor {} is {}", checkpoint.net_type,
          checkpoint.project.skeleton.size(), name, found == saved.end() ? "missing" : "of another shape"));
    target.copy_(found->second);
  };
  for (auto& entry : model.named_parameters()) load(entry.key(), entry.value());
  for (auto& entry : model.named_buffers()) load(entry.key(), entry.value());
}

}  // namespace

struct Predictor::Impl {
  PredictorOptions options;
  torch::Device device;
  std::shared_ptr<trainer::PoseModel> model;
  std::int64_t keypoints;

  Impl(const trainer::Checkpoint& checkpoint, PredictorOptions o)
      : options(o),
        device(o.device_ordinal >= 0 ? torch::Device(torch::kCUDA, static_cast<c10::DeviceIndex>(o.device_ordinal))
                                     : torch::Device(torch::kCPU)),
        keypoints(checkpoint.project.skeleton.size()) {
    const torch::NoGradGuard no_gradients;
    trainer::PoseModelOptions model_options;
    model_options.net_type = checkpoint.net_type;
    model_options.keypoints = static_cast<int>(keypoints);
    model = std::make_shared<trainer::PoseModel>(model_options);
    load_weights(*model, checkpoint);
    model->to(device);
    model->eval();
    if (device.is_cuda()) at::globalContext().setAllowTF32CuDNN(options.tf32);
  }

  /// [batch,H,W,3]; rows behind the images are 0.
  torch::Tensor padded_batch(std::span<const data::Image> images) const {
    const std::int64_t height = images[0].height_px, width = images[0].width_px;
    auto batch_NHWC = torch::zeros({options.batch, height, width, kChannels}, torch::kUInt8);
    const auto bytes = static_cast<std::size_t>(height * width * kChannels);
    auto* rows = batch_NHWC.data_ptr<std::uint8_t>();
    for (std::size_t i = 0; i < images.size(); ++i) {
      const data::Image& image = images[i];
      if (image.height_px != height || image.width_px != width || image.channels != kChannels)
        throw data::FormatError(fmt::format("images of one batch differ: {} x {} px and {} x {} px", width, height,
                                            image.width_px, image.height_px));
      std::memcpy(rows + i * bytes, image.pixels_HWC.data(), bytes);
    }
    return batch_NHWC;
  }
};

Predictor::Predictor(const trainer::Checkpoint& checkpoint, PredictorOptions options) {
  if (options.batch < 1) throw data::ConfigError(fmt::format("the batch must be 1 or more, not {}", options.batch));
  impl_ = std::make_unique<Impl>(checkpoint, options);
}

Predictor::~Predictor() = default;

std::vector<trainer::Prediction> Predictor::predict(std::span<const data::Image> images) {
  Impl& impl = *impl_;
  if (images.empty() || images.size() > static_cast<std::size_t>(impl.options.batch))
    throw data::ConfigError(fmt::format("{} images for a batch of {}", images.size(), impl.options.batch));
  const torch::NoGradGuard no_gradients;
  const auto input = trainer::normalize_images(impl.padded_batch(images).to(impl.device));
  const auto maps = impl.model->forward(input);
  const auto decoded = trainer::decode(maps, trainer::PoseModel::kStride).to(torch::kCPU, torch::kFloat).contiguous();
  const float* values = decoded.data_ptr<float>();
  std::vector<trainer::Prediction> predictions(images.size() * static_cast<std::size_t>(impl.keypoints));
  for (std::size_t i = 0; i < predictions.size(); ++i)
    predictions[i] = {values[3 * i], values[3 * i + 1], values[3 * i + 2]};
  return predictions;
}

}  // namespace ringpose::analysis
