// Plain values that travel through the data layer.
// Shape letters: N images of a batch, B images of the global batch, H height, W width, C channels, K keypoints.
#pragma once
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace ringpose::data {

/// An 8-bit image, rows top to bottom, channels interleaved in RGB order. Source: packed file or decoder.
struct Image {
  int height_px = 0;
  int width_px = 0;
  int channels = 3;
  std::vector<std::uint8_t> pixels_HWC;
};

/// A position in pixels, origin at the image's top-left corner, x to the right, y down. NaN means not labelled.
struct Keypoint {
  double x_px = std::numeric_limits<double>::quiet_NaN();
  double y_px = std::numeric_limits<double>::quiet_NaN();
  [[nodiscard]] bool labelled() const { return !std::isnan(x_px) && !std::isnan(y_px); }
};

/// One labelled frame: image and its K keypoints in the project's bodypart order.
struct Sample {
  Image image;
  std::vector<Keypoint> keypoints;
};

/// One rank's share of one global training batch, after augmentation, before normalisation.
struct Batch {
  std::int64_t epoch = 0;        ///< 0-based
  std::int64_t step = 0;         ///< 0-based step within the epoch
  std::int64_t global_rows = 0;  ///< B: real images of the global batch (smaller in an uneven last batch)
  std::int64_t first_row = 0;    ///< first real row of this rank within the global batch
  std::int64_t real_rows = 0;    ///< real rows of this rank; the other local rows are padding with weight 0
  std::int64_t local_rows = 0;   ///< N: rows in images_NHWC, equal on every rank: ceil(B / world size)
  int height_px = 0;
  int width_px = 0;
  std::vector<std::uint8_t> images_NHWC;  ///< N*H*W*3, RGB; padding rows are 0
  std::vector<float> weight_N;            ///< 1 for a real row, 0 for padding
  std::vector<float> keypoints_NK2;  ///< (x_px, y_px) in the augmented image; NaN: unlabelled, or outside the image
  std::vector<float> keypoints_BK2;  ///< the same for the whole global batch, identical on every rank
};

}  // namespace ringpose::data
