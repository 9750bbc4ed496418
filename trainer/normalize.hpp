// 8-bit images to the network's input. Source: albumentations 1.4.3 Normalize, as DeepLabCut's transforms.py uses it.
#pragma once
#include <torch/types.h>

namespace ringpose::trainer {

/// [N,H,W,3] u8 RGB to [N,3,H,W] float: (x/255 - mean)/std with ImageNet's mean and std. Same device as the input; the
/// same bits on CPU and GPU. Queued on the current stream of a CUDA device. Throws std::invalid_argument for another
/// shape or type.
[[nodiscard]] torch::Tensor normalize_images(const torch::Tensor& images_NHWC);

}  // namespace ringpose::trainer
