#include "trainer/pose_model.hpp"

#include <fmt/format.h>

#include "data/error.hpp"

namespace ringpose::trainer {

void PoseModelOptions::validate() const {
  static_cast<void>(backbone_options(net_type));  // throws on an unknown name
  if (keypoints < 1) throw data::ConfigError(fmt::format("keypoints is {}, expected at least 1 bodypart.", keypoints));
}

PoseModel::PoseModel(const PoseModelOptions& options) : options_(options) {
  options_.validate();
  const BackboneOptions backbone = backbone_options(options_.net_type);
  // The plain modules in between only give DeepLabCut's names.
  backbone_ = register_module("backbone", std::make_shared<torch::nn::Module>("backbone"))
                  ->register_module("model", std::make_shared<ResNet>(backbone));
  head_ = register_module("heads", std::make_shared<torch::nn::Module>("heads"))
              ->register_module("bodypart", std::make_shared<PoseHead>(backbone.output_channels(), options_.keypoints));
}

PoseOutput PoseModel::forward(const torch::Tensor& images_NCHW) {
  return head_->forward(backbone_->forward(images_NCHW));
}

}  // namespace ringpose::trainer
