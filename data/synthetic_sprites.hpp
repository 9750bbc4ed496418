// The parts of a synthetic mouse head as small pictures with transparency, drawn once per video and then only moved.
// Internal to the data folder (OpenCV in the interface).
#pragma once
#include <cstdint>
#include <opencv2/core.hpp>
#include <vector>

namespace ringpose::data {

/// A picture around a point of the head. Colours are multiplied by the opacity already.
struct Sprite {
  cv::Mat rgba;                ///< CV_8UC4
  double texels_per_unit = 1;  ///< texels per face unit
  cv::Point2d center;          ///< texel of the sprite's origin
};

/// Everything that is moved over the backdrop, from back to front.
struct HeadSprites {
  Sprite body;  ///< the rump behind the head
  Sprite ear;   ///< the picture's left ear; the right one is its mirror image
  Sprite mirrored_ear;
  Sprite head;
  std::vector<Sprite> eyes;  ///< kEyeSteps + 1 stages from closed (0) to open (kEyeSteps)
  Sprite muzzle;             ///< whisker pads, mouth and nose; its origin is the tip of the nose
};
inline constexpr int kEyeSteps = 8;

/// Draws all sprites. The seed chooses fur colour and pattern; `texels_per_unit` should be the largest scale (px per
/// face unit) at which they will be shown.
[[nodiscard]] HeadSprites make_head_sprites(std::uint64_t seed, double texels_per_unit);

}  // namespace ringpose::data
