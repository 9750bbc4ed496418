// The arithmetic of normalize.hpp without LibTorch: one pixel value, and the launch of its CUDA kernel.
#pragma once
#include <cstdint>

struct CUstream_st;  // what cudaStream_t points to, so that this header needs no CUDA

namespace ringpose::trainer {

/// (x - mean*255) * 1/(std*255), per channel R, G, B: two roundings that no compiler may fuse, so CPU and GPU agree in
/// bits.
struct NormalizeConstants {
  float mean255[3];  // plain arrays: readable in device code
  float inverse_std255[3];
};

/// ImageNet's statistics.
inline constexpr NormalizeConstants kImageNetConstants{
    {static_cast<float>(0.485 * 255), static_cast<float>(0.456 * 255), static_cast<float>(0.406 * 255)},
    {static_cast<float>(1 / (0.229 * 255)), static_cast<float>(1 / (0.224 * 255)),
     static_cast<float>(1 / (0.225 * 255))}};

/// Device pointers: `images` x `pixels` x 3 bytes in, `images` x 3 x `pixels` floats out; queued on `stream`.
/// Throws mpi::DeviceError. Only in CUDA builds.
void launch_normalize(const std::uint8_t* images_NHWC, float* output_NCHW, std::int64_t images, std::int64_t pixels,
                      CUstream_st* stream);

}  // namespace ringpose::trainer
