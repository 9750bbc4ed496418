// Expected values: the bilinear formula in double precision, black outside the source, on white noise (the hardest
// content).
#include "data/affine_warp.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <opencv2/core.hpp>
#include <vector>

#include "data/random.hpp"

namespace ringpose::data {
namespace {

cv::Mat white_noise(int height, int width, std::uint64_t seed) {
  cv::Mat image(height, width, CV_8UC3);
  Random random({seed});
  for (std::size_t i = 0; i < image.total() * 3; ++i) image.data[i] = static_cast<std::uint8_t>(random.below(256));
  return image;
}

/// Turns by `degrees` and scales about (x, y), then shifts by (dx, dy).
std::array<double, 6> turn_about(double degrees, double scale, double x, double y, double dx = 0, double dy = 0) {
  const double a = scale * std::cos(degrees * std::numbers::pi / 180);
  const double b = scale * std::sin(degrees * std::numbers::pi / 180);
  return {a, -b, x + dx - a * x + b * y, b, a, y + dy - b * x - a * y};
}

double value_at(const cv::Mat& image, int x, int y, int channel) {
  if (x < 0 || y < 0 || x >= image.cols || y >= image.rows) return 0;
  return image.at<cv::Vec3b>(y, x)[channel];
}

double bilinear(const cv::Mat& image, double x, double y, int channel) {
  const int left = static_cast<int>(std::floor(x));
  const int top = static_cast<int>(std::floor(y));
  const double right_share = x - left;
  const double lower_share = y - top;
  const double upper =
      value_at(image, left, top, channel) * (1 - right_share) + value_at(image, left + 1, top, channel) * right_share;
  const double lower = value_at(image, left, top + 1, channel) * (1 - right_share) +
                       value_at(image, left + 1, top + 1, channel) * right_share;
  return upper * (1 - lower_share) + lower * lower_share;
}

/// Largest distance of the warped image from the formula, in grey levels.
double largest_error(const cv::Mat& source, const std::array<double, 6>& m, cv::Size size) {
  cv::Mat target(size, CV_8UC3, cv::Scalar(7, 7, 7));
  warp_bilinear(source, m, target);
  double largest = 0;
  const double determinant = m[0] * m[4] - m[1] * m[3];
  for (int row = 0; row < size.height; ++row) {
    for (int column = 0; column < size.width; ++column) {
      const double u = column - m[2];
      const double v = row - m[5];
      const double x = (m[4] * u - m[1] * v) / determinant;
      const double y = (m[0] * v - m[3] * u) / determinant;
      for (int c = 0; c < 3; ++c) {
        const double value = target.at<cv::Vec3b>(row, column)[c];
        largest = std::max(largest, std::abs(value - bilinear(source, x, y, c)));
      }
    }
  }
  return largest;
}

TEST(WarpBilinear, IsWithinHalfALevelAndATenthOfTheFormula) {
  const cv::Mat source = white_noise(61, 83, 1);
  for (const double degrees : {0.0, 0.1, 13.0, -30.0, 77.7, 180.0}) {
    for (const double scale : {0.5, 0.77, 1.0, 1.25, 4.0}) {
      const auto matrix = turn_about(degrees, scale, 41, 30, 2.5, -1);
      EXPECT_LE(largest_error(source, matrix, source.size()), 0.6) << degrees << " degrees, scale " << scale;
    }
  }
}

TEST(WarpBilinear, TinySourcesAndFarPlaces) {
  for (const cv::Size size : {cv::Size(1, 1), cv::Size(1, 9), cv::Size(9, 1), cv::Size(2, 2)}) {
    const cv::Mat source = white_noise(size.height, size.width, 2);
    EXPECT_LE(largest_error(source, turn_about(20, 1.5, 0, 0), {12, 12}), 0.6);
    EXPECT_LE(largest_error(source, turn_about(20, 0.001, 1e5, -1e5), {12, 12}), 0.6);
  }
}

TEST(WarpBilinear, IdentityCopiesAndWholeShiftsMove) {
  const cv::Mat source = white_noise(20, 30, 3);
  cv::Mat target(source.size(), CV_8UC3);
  warp_bilinear(source, {1, 0, 0, 0, 1, 0}, target);
  EXPECT_EQ(cv::norm(source, target, cv::NORM_INF), 0);
  warp_bilinear(source, {1, 0, 4, 0, 1, 3}, target);
  EXPECT_EQ(cv::norm(source(cv::Rect(0, 0, 26, 17)), target(cv::Rect(4, 3, 26, 17)), cv::NORM_INF), 0);
  EXPECT_EQ(cv::norm(target.rowRange(0, 3), cv::NORM_INF), 0);
}

TEST(WarpBilinear, ReadsAndWritesPartsOfLargerImages) {
  const cv::Mat source = white_noise(40, 50, 4);
  const cv::Mat part = source(cv::Rect(5, 6, 30, 20));
  cv::Mat whole(60, 60, CV_8UC3, cv::Scalar(9, 9, 9));
  cv::Mat inside = whole(cv::Rect(10, 10, 30, 20));
  const auto matrix = turn_about(10, 0.9, 15, 10);
  warp_bilinear(part, matrix, inside);
  cv::Mat expected(20, 30, CV_8UC3);
  warp_bilinear(part.clone(), matrix, expected);
  EXPECT_EQ(cv::norm(inside, expected, cv::NORM_INF), 0);
  EXPECT_EQ(cv::norm(whole.rowRange(0, 10) - cv::Scalar(9, 9, 9), cv::NORM_INF), 0);
}

}  // namespace
}  // namespace ringpose::data
