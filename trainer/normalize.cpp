#include "trainer/normalize.hpp"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>

#include "trainer/normalize_cuda.hpp"
#include "trainer/normalize_kernel.hpp"

namespace ringpose::trainer {

namespace {

constexpr std::int64_t kGrainPixels = 16384;

/// One image: interleaved bytes to three planes.
void normalize_pixels(const std::uint8_t* in, float* out, std::int64_t begin, std::int64_t end, std::int64_t pixels) {
  for (int channel = 0; channel < 3; ++channel) {
    const float mean255 = kImageNetConstants.mean255[channel];
    const float inverse_std255 = kImageNetConstants.inverse_std255[channel];
    float* plane = out + channel * pixels;
    for (std::int64_t i = begin; i < end; ++i)
      plane[i] = (static_cast<float>(in[3 * i + channel]) - mean255) * inverse_std255;
  }
}

torch::Tensor normalize_images_cpu(const torch::Tensor& images_NHWC) {
  const std::int64_t images = images_NHWC.size(0), height = images_NHWC.size(1), width = images_NHWC.size(2);
  const std::int64_t pixels = height * width;
  torch::Tensor output_NCHW = at::empty({images, 3, height, width}, torch::kFloat32);
  const std::uint8_t* in = images_NHWC.const_data_ptr<std::uint8_t>();
  float* out = output_NCHW.mutable_data_ptr<float>();
  for (std::int64_t image = 0; image < images; ++image)
    at::parallel_for(0, pixels, kGrainPixels, [&](std::int64_t begin, std::int64_t end) {
      normalize_pixels(in + image * pixels * 3, out + image * pixels * 3, begin, end, pixels);
    });
  return output_NCHW;
}

}  // namespace

torch::Tensor normalize_images(const torch::Tensor& images_NHWC) {
  if (images_NHWC.dim() != 4 || images_NHWC.size(3) != 3 || images_NHWC.scalar_type() != torch::kUInt8)
    throw std::invalid_argument(fmt::format("normalize_images: got shape [{}] of {}, expected [N,H,W,3] of uint8.",
                                            fmt::join(images_NHWC.sizes(), ","),
                                            c10::toString(images_NHWC.scalar_type())));
  const torch::Tensor contiguous = images_NHWC.contiguous();
  return contiguous.is_cuda() ? normalize_images_cuda(contiguous) : normalize_images_cpu(contiguous);
}

}  // namespace ringpose::trainer
