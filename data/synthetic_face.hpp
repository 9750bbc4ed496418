// Draws a synthetic mouse face seen from the front, with motion blur, changing light and backdrop, and sensor noise.
#pragma once
#include <memory>

#include "data/sample.hpp"
#include "data/synthetic_motion.hpp"

namespace ringpose::data {

/// Renders the frames of one FaceMotion. Frames are independent of one another and of the order of calls: equal options
/// give equal pixels. About 200 frames/s at 320x240 on one core. Not thread-safe (one painter per thread).
class FacePainter {
 public:
  /// Draws textures and sprites once (some tens of milliseconds). Keeps a copy of `motion`.
  explicit FacePainter(FaceMotion motion);
  ~FacePainter();
  FacePainter(const FacePainter&) = delete;
  FacePainter& operator=(const FacePainter&) = delete;

  /// Frame in [0, frames). The exposure lasts 60 % of the frame interval, centred on FaceMotion::frame_time_s: what
  /// moves is averaged over as many moments as it crosses pixels.
  [[nodiscard]] Image draw(int frame);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ringpose::data
