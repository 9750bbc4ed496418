#include "data/augmentation.hpp"

#include <array>
#include <cassert>
#include <cmath>
#include <opencv2/imgproc.hpp>
#include <sstream>
#include <stdexcept>

#include "data/affine_warp.hpp"
#include "data/augmentation_draw.hpp"
#include "data/error.hpp"
#include "data/gaussian_noise.hpp"

namespace ringpose::data {
namespace {

constexpr int kChannels = 3;

[[noreturn]] void reject(const std::string& field, const std::string& found, const std::string& expected) {
  throw ConfigError(field + " is " + found + "; expected " + expected);
}

/// Without trailing zeros: 448, 0.5, 1e+06.
std::string number_text(double value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

void require_probability(const std::string& field, double value) {
  if (!(value >= 0 && value <= 1)) reject(field, number_text(value), "a probability from 0 to 1");
}

void require_range(const std::string& field, double value, double low, double high) {
  if (!(value >= low && value <= high)) {
    reject(field, number_text(value), "a number from " + number_text(low) + " to " + number_text(high));
  }
}

std::size_t byte_count(ImageSize size) {
  return static_cast<std::size_t>(size.height_px) * static_cast<std::size_t>(size.width_px) * kChannels;
}

void require_drawn_for(const Image& image, const AugmentationDraw& draw) {
  const ImageSize size{image.height_px, image.width_px};
  if (image.channels == kChannels && size == draw.input && image.pixels_HWC.size() == byte_count(size)) return;
  throw std::invalid_argument("augmenting an image of " + std::to_string(size.width_px) + "x" +
                              std::to_string(size.height_px) + " with " + std::to_string(image.channels) +
                              " channels: the choices were drawn for " + std::to_string(draw.input.width_px) + "x" +
                              std::to_string(draw.input.height_px) + " RGB");
}

/// Affine, pad and crop in one pass: only the pixels kept by the crop are computed, straight into `target`.
void move_pixels(const cv::Mat& source, const AugmentationDraw& draw, cv::Mat& target) {
  const int left = draw.pad_left_px - draw.crop_left_px;  // where the affine step's output begins in the target
  const int top = draw.pad_top_px - draw.crop_top_px;
  const cv::Rect kept = cv::Rect(left, top, source.cols, source.rows) & cv::Rect(0, 0, target.cols, target.rows);
  if (kept.size() != target.size()) target.setTo(cv::Scalar::all(0));
  if (kept.empty()) return;
  cv::Mat inside = target(kept);
  if (!draw.affine) {
    source(kept - cv::Point(left, top)).copyTo(inside);
    return;
  }
  std::array<double, 6> matrix = affine_matrix(draw);
  matrix[2] += left - kept.x;
  matrix[5] += top - kept.y;
  warp_bilinear(source, matrix, inside);
}

/// A one pixel wide line of equal weights that sum to 1.
cv::Mat motion_blur_kernel(const AugmentationDraw& draw) {
  cv::Mat line = cv::Mat::zeros(draw.blur_size_px, draw.blur_size_px, CV_8U);
  cv::line(line, {draw.blur_line[0], draw.blur_line[1]}, {draw.blur_line[2], draw.blur_line[3]}, cv::Scalar(1), 1);
  cv::Mat kernel;
  line.convertTo(kernel, CV_32F);
  kernel /= static_cast<double>(cv::countNonZero(line));
  return kernel;
}

bool inside_output(double x_px, double y_px, const AugmentationDraw& draw) {
  const int width = draw.output.width_px;
  const int height = draw.output.height_px;
  // DeepLabCut's crop drops a point on the far edge; its later check, the only one without a crop, keeps it.
  if (draw.crop) return x_px >= 0 && x_px < width && y_px >= 0 && y_px < height;
  return x_px >= 0 && x_px <= width && y_px >= 0 && y_px <= height;
}

}  // namespace

void AugmentationOptions::validate() const {
  constexpr double kLargest = 1e6;
  constexpr double kSmallestCropPx = 16;   // the network's coarsest stride
  constexpr double kLargestCropPx = 8192;  // a batch of larger ones fits no machine's memory
  require_probability("augmentation.affine_p", affine_p);
  require_range("augmentation.rotation_deg", rotation_deg, 0, 360);
  require_range("augmentation.scaling[0]", scaling[0], 1e-3, 1e3);
  require_range("augmentation.scaling[1]", scaling[1], scaling[0], 1e3);
  require_range("augmentation.translation_px", translation_px, 0, kLargest);
  if (translation_px != std::floor(translation_px)) {
    reject("augmentation.translation_px", number_text(translation_px), "a whole number of pixels");
  }
  require_range("augmentation.crop_width_px", crop_width_px, kSmallestCropPx, kLargestCropPx);
  require_range("augmentation.crop_height_px", crop_height_px, kSmallestCropPx, kLargestCropPx);
  require_range("augmentation.crop_max_shift", crop_max_shift, 0, kLargest);
  if (crop_method != "uniform" && crop_method != "keypoints" && crop_method != "density" && crop_method != "hybrid") {
    reject("augmentation.crop_method", "'" + crop_method + "'", "uniform, keypoints, density or hybrid");
  }
  require_probability("augmentation.motion_blur_p", motion_blur_p);
  require_range("augmentation.gaussian_noise", gaussian_noise, 0, 255);
  require_probability("augmentation.gaussian_noise_p", gaussian_noise_p);
}

Image augment(const Image& image, const AugmentationDraw& draw) {
  Image result;
  result.height_px = draw.output.height_px;
  result.width_px = draw.output.width_px;
  result.pixels_HWC.resize(byte_count(draw.output));
  augment_into(image, draw, result.pixels_HWC);
  return result;
}

void augment_into(const Image& image, const AugmentationDraw& draw, std::span<std::uint8_t> pixels_HWC) {
  require_drawn_for(image, draw);
  assert(pixels_HWC.size() == byte_count(draw.output));
  // cv::Mat has no const view; the source is only read.
  const cv::Mat source(image.height_px, image.width_px, CV_8UC3, const_cast<std::uint8_t*>(image.pixels_HWC.data()));
  cv::Mat result(draw.output.height_px, draw.output.width_px, CV_8UC3, pixels_HWC.data());
  if (draw.motion_blur) {
    cv::Mat sharp(result.size(), CV_8UC3);
    move_pixels(source, draw, sharp);
    cv::filter2D(sharp, result, -1, motion_blur_kernel(draw));
  } else {
    move_pixels(source, draw, result);
  }
  if (draw.gaussian_noise) add_gaussian_noise(pixels_HWC, draw.noise_variance, draw.noise_seed);
}

std::vector<Keypoint> augment(std::span<const Keypoint> keypoints, const AugmentationDraw& draw) {
  const std::array<double, 6> m = affine_matrix(draw);
  std::vector<Keypoint> moved(keypoints.size());
  for (std::size_t k = 0; k < keypoints.size(); ++k) {
    const auto [x, y] = keypoints[k];
    if (!visible_in(keypoints[k], draw.input)) continue;
    const double moved_x = m[0] * x + m[1] * y + m[2] + draw.pad_left_px - draw.crop_left_px;
    const double moved_y = m[3] * x + m[4] * y + m[5] + draw.pad_top_px - draw.crop_top_px;
    if (inside_output(moved_x, moved_y, draw)) moved[k] = {moved_x, moved_y};
  }
  return moved;
}

}  // namespace ringpose::data
