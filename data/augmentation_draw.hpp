// The random choices behind one augmented sample, and how they are drawn. No pixel is touched here.
#pragma once
#include <array>
#include <cstdint>
#include <span>

#include "data/augmentation.hpp"
#include "data/random.hpp"
#include "data/sample.hpp"

namespace ringpose::data {

/// Height and width of an image in pixels.
struct ImageSize {
  int height_px = 0;
  int width_px = 0;
  bool operator==(const ImageSize&) const = default;
};

/// All random choices for one sample. With all parts off it is the identity for an image of `input` size.
struct AugmentationDraw {
  ImageSize input;   ///< size the draw was made for
  ImageSize output;  ///< size after the crop; equal to `input` without one

  bool affine = false;
  double rotation_deg = 0;  ///< turns x towards y (clockwise as seen, y points down) about the image centre
  double scale = 1;
  int translation_x_px = 0;
  int translation_y_px = 0;

  int pad_left_px = 0;  ///< black margin put before the crop where the image is smaller than it
  int pad_top_px = 0;
  double crop_fraction_x = 0;  ///< place of the crop within its freedom, [0, 1)
  double crop_fraction_y = 0;
  bool crop = false;
  int crop_left_px = 0;  ///< in the padded image
  int crop_top_px = 0;

  bool motion_blur = false;
  int blur_size_px = 0;            ///< side of the square kernel: 3, 5 or 7
  std::array<int, 4> blur_line{};  ///< x0, y0, x1, y1 of the line drawn in the kernel

  bool gaussian_noise = false;
  double noise_variance = 0;
  std::uint64_t noise_seed = 0;
};

/// Draws as DeepLabCut does for an image of that size with those keypoints (of one animal, in bodypart order).
/// As in DeepLabCut an unlabelled keypoint stands at (0, 0) when crop places are drawn from keypoints, and a frame
/// without any visible keypoint is cropped uniformly. `options` must be valid.
[[nodiscard]] AugmentationDraw draw_augmentation(const AugmentationOptions& options, ImageSize size,
                                                 std::span<const Keypoint> keypoints, Random& random);

/// Maps source pixels to pixels of the affine step's output, row-major 2x3: centre + translation + scale * R * (p -
/// centre), centre = ((width - 1) / 2, (height - 1) / 2). Identity where the draw has no affine step.
[[nodiscard]] std::array<double, 6> affine_matrix(const AugmentationDraw& draw);

/// Labelled, and inside the image by DeepLabCut's rule at load: 0 < x < width, 0 < y < height.
[[nodiscard]] bool visible_in(const Keypoint& keypoint, ImageSize size);

}  // namespace ringpose::data
