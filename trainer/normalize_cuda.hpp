// The CUDA path of normalize_images: CMake links normalize_cuda.cpp or, in builds without CUDA,
// normalize_cuda_unavailable.cpp.
#pragma once
#include <torch/types.h>

namespace ringpose::trainer {

/// As normalize_images, for a contiguous u8 tensor on a CUDA device. Throws mpi::DeviceError.
[[nodiscard]] torch::Tensor normalize_images_cuda(const torch::Tensor& images_NHWC);

}  // namespace ringpose::trainer
