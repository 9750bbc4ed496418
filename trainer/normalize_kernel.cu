#include <cuda_runtime_api.h>

#include <string>

#include "mpi/error.hpp"
#include "trainer/normalize_kernel.hpp"

namespace ringpose::trainer {

namespace {

constexpr int kThreads = 256;

/// One thread a pixel: three neighbouring bytes in, one float into each plane, so that a warp writes whole lines.
__global__ void normalize(const std::uint8_t* __restrict__ images_NHWC, float* __restrict__ output_NCHW,
                          std::int64_t pixels, NormalizeConstants constants) {
  const std::int64_t pixel = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (pixel >= pixels) return;
  const std::int64_t image = blockIdx.y;
  const std::uint8_t* in = images_NHWC + (image * pixels + pixel) * 3;
  float* out = output_NCHW + image * 3 * pixels + pixel;
#pragma unroll
  for (int channel = 0; channel < 3; ++channel)
    out[channel * pixels] =
        (static_cast<float>(in[channel]) - constants.mean255[channel]) * constants.inverse_std255[channel];
}

}  // namespace

void launch_normalize(const std::uint8_t* images_NHWC, float* output_NCHW, std::int64_t images, std::int64_t pixels,
                      CUstream_st* stream) {
  constexpr std::int64_t kMaxImages = 65535;  // CUDA's limit of gridDim.y
  for (std::int64_t first = 0; first < images && pixels > 0; first += kMaxImages) {
    const std::int64_t count = images - first < kMaxImages ? images - first : kMaxImages;
    const dim3 grid(static_cast<unsigned>((pixels + kThreads - 1) / kThreads), static_cast<unsigned>(count));
    normalize<<<grid, kThreads, 0, stream>>>(images_NHWC + first * pixels * 3, output_NCHW + first * pixels * 3, pixels,
                                             kImageNetConstants);
    const cudaError_t code = cudaGetLastError();
    if (code != cudaSuccess)
      throw mpi::DeviceError(std::string("Starting the image normalisation kernel failed: ") +
                             cudaGetErrorString(code) + " (was ringpose built for this GPU's architecture?)");
  }
}

}  // namespace ringpose::trainer
