#include "data/gaussian_noise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "data/random.hpp"

namespace ringpose::data {
namespace {

constexpr std::size_t kQuantiles = 65536;

/// x with P(X <= x) = probability for a standard normal X, by Newton's method; probability in (0, 0.5].
double lower_quantile(double probability, double start) {
  double x = start;
  for (int i = 0; i < 50; ++i) {
    const double excess = 0.5 * std::erfc(-x / std::numbers::sqrt2) - probability;
    const double density = std::exp(-0.5 * x * x) / std::sqrt(2 * std::numbers::pi);
    const double step = excess / density;
    x -= step;
    if (std::abs(step) < 1e-12) break;
  }
  return x;
}

/// Quantiles at the middles of 65,536 equal steps of probability, ascending, scaled to variance 1.
std::vector<float> make_quantiles() {
  std::vector<double> exact(kQuantiles);
  double x = 0;
  double square_sum = 0;
  for (std::size_t i = kQuantiles / 2; i-- > 0;) {  // from the middle outwards: the last quantile starts the next
    x = lower_quantile((static_cast<double>(i) + 0.5) / kQuantiles, x);
    exact[i] = x;
    exact[kQuantiles - 1 - i] = -x;
    square_sum += 2 * x * x;
  }
  const double scale = std::sqrt(kQuantiles / square_sum);
  std::vector<float> quantiles(kQuantiles);
  std::transform(exact.begin(), exact.end(), quantiles.begin(),
                 [scale](double value) { return static_cast<float>(value * scale); });
  return quantiles;
}

/// The quantiles in whole grey levels. A pixel is whole, so floor(pixel + noise) = pixel + floor(noise).
std::vector<std::int16_t> grey_level_steps(double variance) {
  static const std::vector<float> quantiles = make_quantiles();
  const auto deviation = static_cast<float>(std::sqrt(variance));
  std::vector<std::int16_t> steps(kQuantiles);
  for (std::size_t i = 0; i < kQuantiles; ++i) {
    steps[i] = static_cast<std::int16_t>(std::clamp(std::floor(quantiles[i] * deviation), -256.0F, 256.0F));
  }
  return steps;
}

}  // namespace

void add_gaussian_noise(std::span<std::uint8_t> pixels, double variance, std::uint64_t seed) {
  const std::vector<std::int16_t> steps = grey_level_steps(variance);
  Random random({seed});
  const auto add = [&](std::uint8_t& pixel, std::uint64_t bits) {
    pixel = static_cast<std::uint8_t>(std::clamp(pixel + steps[bits & 0xffff], 0, 255));
  };
  std::size_t i = 0;
  for (; i + 4 <= pixels.size(); i += 4) {
    const std::uint64_t bits = random.next_u64();
    add(pixels[i], bits);
    add(pixels[i + 1], bits >> 16);
    add(pixels[i + 2], bits >> 32);
    add(pixels[i + 3], bits >> 48);
  }
  for (std::uint64_t bits = random.next_u64(); i < pixels.size(); ++i, bits >>= 16) add(pixels[i], bits);
}

}  // namespace ringpose::data
