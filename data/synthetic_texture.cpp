#include "data/synthetic_texture.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "data/random.hpp"

namespace ringpose::data {
namespace {

double grid_value(std::uint64_t seed, std::int64_t x, std::int64_t y) {
  return Random{seed, static_cast<std::uint64_t>(x), static_cast<std::uint64_t>(y)}.uniform();
}

cv::Scalar draw_colour(Random& random, double low, double high) {
  const double grey = random.uniform(low, high);
  cv::Scalar colour;
  for (int channel = 0; channel < 3; ++channel)
    colour[channel] = std::clamp(grey + random.uniform(-22, 22), 0.0, 255.0);
  return colour;
}

cv::Mat cloudy_ground(std::uint64_t seed, cv::Size size, double unit_px, Random& random) {
  const cv::Scalar dark = draw_colour(random, 35, 95);
  const cv::Scalar bright = draw_colour(random, 110, 190);
  const double grain = 1 / (36 * unit_px);
  cv::Mat ground(size, CV_8UC3);
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x) {
      const double t = layered_noise(seed, x * grain, y * grain, 4);
      auto& pixel = ground.at<cv::Vec3b>(y, x);
      for (int channel = 0; channel < 3; ++channel)
        pixel[channel] = cv::saturate_cast<std::uint8_t>(dark[channel] + (bright[channel] - dark[channel]) * t);
    }
  return ground;
}

void draw_bars(cv::Mat& picture, double unit_px, Random& random) {
  const double spacing = unit_px * random.uniform(26, 60);
  const double lean = random.uniform(-0.25, 0.25);
  const int thickness = std::max(1, static_cast<int>(std::lround(unit_px * random.uniform(2, 6))));
  const cv::Scalar colour = draw_colour(random, 20, 220);
  for (double x = -picture.rows * 0.25; x < picture.cols * 1.25; x += spacing)
    cv::line(picture, cv::Point2d(x, 0), cv::Point2d(x + lean * picture.rows, picture.rows), colour, thickness,
             cv::LINE_AA);
}

/// Round things, some as dark and as large as an eye: what a tracker may mistake for one.
void draw_specks(cv::Mat& picture, double unit_px, Random& random, int count) {
  for (int i = 0; i < count; ++i) {
    const cv::Point center(static_cast<int>(random.below(picture.cols)), static_cast<int>(random.below(picture.rows)));
    const double radius = unit_px * random.uniform(1.5, 8);
    const cv::Size axes(std::max(1, static_cast<int>(radius)),
                        std::max(1, static_cast<int>(radius * random.uniform(0.4, 1))));
    cv::ellipse(picture, center, axes, random.uniform(0, 180), 0, 360, draw_colour(random, 15, 230), cv::FILLED,
                cv::LINE_AA);
  }
}

}  // namespace

double value_noise(std::uint64_t seed, double x, double y) {
  const double x0 = std::floor(x);
  const double y0 = std::floor(y);
  const auto ix = static_cast<std::int64_t>(x0);
  const auto iy = static_cast<std::int64_t>(y0);
  const auto ease = [](double t) { return t * t * (3 - 2 * t); };
  const double tx = ease(x - x0);
  const double ty = ease(y - y0);
  const double top = grid_value(seed, ix, iy) * (1 - tx) + grid_value(seed, ix + 1, iy) * tx;
  const double bottom = grid_value(seed, ix, iy + 1) * (1 - tx) + grid_value(seed, ix + 1, iy + 1) * tx;
  return top * (1 - ty) + bottom * ty;
}

double layered_noise(std::uint64_t seed, double x, double y, int octaves) {
  double sum = 0;
  double weight = 1;
  double total = 0;
  for (int octave = 0; octave < octaves; ++octave) {
    sum += weight * value_noise(seed + octave, x, y);
    total += weight;
    weight /= 2;
    x *= 2;
    y *= 2;
  }
  return sum / total;
}

cv::Mat make_backdrop(std::uint64_t seed, cv::Size size, double unit_px) {
  Random random{seed};
  cv::Mat picture = cloudy_ground(seed, size, unit_px, random);
  draw_bars(picture, unit_px, random);
  const double area_units = size.area() / (unit_px * unit_px);
  draw_specks(picture, unit_px, random, static_cast<int>(area_units / 1200));
  cv::GaussianBlur(picture, picture, cv::Size(), 0.8 * unit_px);
  return picture;
}

}  // namespace ringpose::data
