// Decoded pictures to upright RGB images. Internal to analysis.
#pragma once
#include <cstdint>
#include <vector>

#include "analysis/libav.hpp"
#include "data/sample.hpp"

namespace ringpose::analysis {

/// Keeps one swscale context per picture format seen. One thread at a time.
class FrameConverter {
 public:
  /// `rotation_degrees`: clockwise, 0, 90, 180 or 270.
  explicit FrameConverter(int rotation_degrees) : rotation_degrees_(rotation_degrees) {}
  /// Writes RGB into `image`, reusing its memory. Throws std::bad_alloc, or data::FormatError for a format swscale
  /// cannot read.
  void convert(const AVFrame& picture, data::Image& image);

 private:
  void prepare(const AVFrame& picture);
  int rotation_degrees_;
  libav::Scaler scaler_;
  int width_ = 0, height_ = 0, format_ = AV_PIX_FMT_NONE, colorspace_ = -1, range_ = -1;
  std::vector<std::uint8_t> padded_;
  data::Image upright_;
};

}  // namespace ringpose::analysis
