#include "trainer/normalize_cuda.hpp"

#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include "trainer/normalize_kernel.hpp"

namespace ringpose::trainer {

torch::Tensor normalize_images_cuda(const torch::Tensor& images_NHWC) {
  const c10::cuda::CUDAGuard device(images_NHWC.device());
  const std::int64_t images = images_NHWC.size(0), height = images_NHWC.size(1), width = images_NHWC.size(2);
  torch::Tensor output_NCHW = at::empty({images, 3, height, width}, images_NHWC.options().dtype(torch::kFloat32));
  launch_normalize(images_NHWC.const_data_ptr<std::uint8_t>(), output_NCHW.mutable_data_ptr<float>(), images,
                   height * width, c10::cuda::getCurrentCUDAStream().stream());
  return output_NCHW;
}

}  // namespace ringpose::trainer
