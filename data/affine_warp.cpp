// Places are 32.32 fixed point, stepped along a row. Weights are 12 bits and sum to 4096, so that the three channels of
// a pixel, 21 bits apart in one 64-bit word, are weighted by one multiplication: 255 * 4096 + 2048 < 2^21.
#include "data/affine_warp.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <opencv2/core.hpp>

namespace ringpose::data {
namespace {

constexpr int kChannels = 3;
constexpr std::uint32_t kOne = 4096;
static_assert(std::endian::native == std::endian::little, "pixels are loaded as little-endian words");

/// Red, green and blue of a pixel in bits 0, 21 and 42.
std::uint64_t spread(std::uint64_t rgb) {
  return (rgb & 0xff) | (rgb & 0xff00) << (21 - 8) | (rgb & 0xff0000) << (42 - 16);
}

std::uint64_t load_4_bytes(const std::uint8_t* bytes) {
  std::uint32_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

/// Two neighbouring pixels from six bytes, reading no byte beyond them.
struct PixelPair {
  std::uint64_t left = 0;
  std::uint64_t right = 0;
  explicit PixelPair(const std::uint8_t* bytes)
      : left(spread(load_4_bytes(bytes))), right(spread(load_4_bytes(bytes + 2) >> 8)) {}
  PixelPair() = default;
};

/// Mean of the four pixels by distance; x and y are the fractions of the place in 1/4096.
void store_mean(const PixelPair& upper, const PixelPair& lower, std::uint32_t x, std::uint32_t y, std::uint8_t* out) {
  constexpr std::uint64_t kHalf = (kOne / 2) * (1ULL | 1ULL << 21 | 1ULL << 42);
  const std::uint32_t lower_right = (x * y + kOne / 2) / kOne;
  const std::uint64_t sum = upper.left * (kOne - x - y + lower_right) + upper.right * (x - lower_right) +
                            lower.left * (y - lower_right) + lower.right * lower_right + kHalf;
  out[0] = static_cast<std::uint8_t>(sum >> 12);
  out[1] = static_cast<std::uint8_t>(sum >> (12 + 21));
  out[2] = static_cast<std::uint8_t>(sum >> (12 + 42));
}

/// A pixel of the source, or black outside it.
std::uint64_t pixel_or_black(const cv::Mat& source, std::int64_t x, std::int64_t y) {
  if (x < 0 || y < 0 || x >= source.cols || y >= source.rows) return 0;
  const std::uint8_t* pixel = source.ptr(static_cast<int>(y)) + x * kChannels;
  return spread(pixel[0] | pixel[1] << 8 | pixel[2] << 16);
}

PixelPair pair_at_border(const cv::Mat& source, std::int64_t x, std::int64_t y) {
  PixelPair pair;
  pair.left = pixel_or_black(source, x, y);
  pair.right = pixel_or_black(source, x + 1, y);
  return pair;
}

struct Place {
  std::int64_t x = 0;  ///< 32.32 fixed point
  std::int64_t y = 0;
};

Place to_fixed(double x, double y) {
  return {std::llround(x * 0x1p32), std::llround(y * 0x1p32)};
}

void warp_row(const cv::Mat& source, Place place, Place step, std::uint8_t* out, int width) {
  const auto inner_columns = static_cast<std::uint64_t>(source.cols - 1);
  const auto inner_rows = static_cast<std::uint64_t>(source.rows - 1);
  const auto stride = static_cast<std::int64_t>(source.step[0]);
  for (int i = 0; i < width; ++i, out += kChannels, place.x += step.x, place.y += step.y) {
    const std::int64_t x = place.x >> 32;
    const std::int64_t y = place.y >> 32;
    const std::uint32_t x_fraction = (place.x >> 20) & (kOne - 1);
    const std::uint32_t y_fraction = (place.y >> 20) & (kOne - 1);
    if (static_cast<std::uint64_t>(x) < inner_columns && static_cast<std::uint64_t>(y) < inner_rows) {
      const std::uint8_t* upper = source.data + y * stride + x * kChannels;
      store_mean(PixelPair(upper), PixelPair(upper + stride), x_fraction, y_fraction, out);
    } else if (x >= -1 && x < source.cols && y >= -1 && y < source.rows) {
      store_mean(pair_at_border(source, x, y), pair_at_border(source, x, y + 1), x_fraction, y_fraction, out);
    } else {
      out[0] = out[1] = out[2] = 0;
    }
  }
}

}  // namespace

void warp_bilinear(const cv::Mat& source, const std::array<double, 6>& matrix, cv::Mat& target) {
  CV_Assert(source.type() == CV_8UC3 && target.type() == CV_8UC3);
  const auto& [a, b, shift_x, c, d, shift_y] = matrix;
  const double determinant = a * d - b * c;
  const double dx = d / determinant;  // source place per target column
  const double dy = -c / determinant;
  const Place step = to_fixed(dx, dy);
  constexpr double kRounding = 0.5 / kOne;  // the fraction is cut to 12 bits
  for (int row = 0; row < target.rows; ++row) {
    const double x = (-shift_x * d - (row - shift_y) * b) / determinant + kRounding;
    const double y = (shift_x * c + (row - shift_y) * a) / determinant + kRounding;
    warp_row(source, to_fixed(x, y), step, target.ptr(row), target.cols);
  }
}

}  // namespace ringpose::data
