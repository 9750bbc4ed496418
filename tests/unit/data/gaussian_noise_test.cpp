// Expected values: the normal distribution, and albumentations 1.4.3's arithmetic (add, clip to [0, 255], drop the
// fraction).
#include "data/gaussian_noise.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

namespace ringpose::data {
namespace {

constexpr std::size_t kPixels = 448 * 448 * 3;

std::vector<double> noise_on(std::uint8_t grey, double variance, std::uint64_t seed) {
  std::vector<std::uint8_t> pixels(kPixels, grey);
  add_gaussian_noise(pixels, variance, seed);
  std::vector<double> noise;
  noise.reserve(kPixels);
  for (const auto pixel : pixels) noise.push_back(static_cast<double>(pixel) - grey);
  return noise;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const double mean_a = mean(a);
  const double mean_b = mean(b);
  double product = 0;
  double square_a = 0;
  double square_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    product += (a[i] - mean_a) * (b[i] - mean_b);
    square_a += (a[i] - mean_a) * (a[i] - mean_a);
    square_b += (b[i] - mean_b) * (b[i] - mean_b);
  }
  return product / std::sqrt(square_a * square_b);
}

double normal_cdf(double x) {
  return 0.5 * std::erfc(-x / std::numbers::sqrt2);
}

// floor(g) has mean -1/2 and variance sigma^2 + 1/12 (Sheppard) up to terms below 1e-8 for sigma >= 1.
TEST(GaussianNoise, MeanAndVarianceAreThoseDrawn) {
  for (const double variance : {1.0, 20.0, 81.3, 162.5625}) {
    const std::vector<double> noise = noise_on(128, variance, 11);
    const double measured_mean = mean(noise);
    double square = 0;
    for (const double value : noise) square += (value - measured_mean) * (value - measured_mean);
    const double measured_variance = square / kPixels;
    const double expected_variance = variance + 1.0 / 12;
    EXPECT_NEAR(measured_mean, -0.5, 4 * std::sqrt(expected_variance / kPixels)) << "variance " << variance;
    EXPECT_NEAR(measured_variance, expected_variance, 4 * expected_variance * std::sqrt(2.0 / kPixels));
  }
}

TEST(GaussianNoise, EveryGreyLevelHasItsNormalProbability) {
  const double sigma = 6.3;
  const std::vector<double> noise = noise_on(128, sigma * sigma, 5);
  std::vector<double> counts(256, 0);
  for (const double value : noise) ++counts[static_cast<std::size_t>(value + 128)];
  double chi_square = 0;
  int cells = 0;
  for (int level = -20; level < 20; ++level) {
    const double expected = kPixels * (normal_cdf((level + 1) / sigma) - normal_cdf(level / sigma));
    const double difference = counts[static_cast<std::size_t>(level + 128)] - expected;
    chi_square += difference * difference / expected;
    ++cells;
  }
  EXPECT_EQ(cells, 40);
  EXPECT_LT(chi_square, 73.4);  // 40 degrees of freedom at level 0.001
}

TEST(GaussianNoise, ChannelsAndNeighboursAreIndependent) {
  const std::vector<double> noise = noise_on(128, 100, 9);
  std::array<std::vector<double>, 3> channels;
  for (std::size_t i = 0; i < kPixels; ++i) channels[i % 3].push_back(noise[i]);
  const double limit = 4 / std::sqrt(static_cast<double>(kPixels) / 3);
  EXPECT_LT(std::abs(correlation(channels[0], channels[1])), limit);
  EXPECT_LT(std::abs(correlation(channels[0], channels[2])), limit);
  EXPECT_LT(std::abs(correlation(channels[1], channels[2])), limit);
  for (const std::size_t lag : {1U, 2U, 4U, 448U}) {
    const std::vector<double> early(noise.begin(), noise.end() - static_cast<std::ptrdiff_t>(lag));
    const std::vector<double> late(noise.begin() + static_cast<std::ptrdiff_t>(lag), noise.end());
    EXPECT_LT(std::abs(correlation(early, late)), 4 / std::sqrt(static_cast<double>(kPixels))) << "lag " << lag;
  }
  EXPECT_LT(std::abs(correlation(noise, noise_on(128, 100, 10))), 4 / std::sqrt(static_cast<double>(kPixels)));
}

TEST(GaussianNoise, ClipsAtBlackAndWhite) {
  const double sigma = 10;
  const std::vector<double> black = noise_on(0, sigma * sigma, 3);
  const std::vector<double> white = noise_on(255, sigma * sigma, 3);
  double black_unchanged = 0;
  double white_unchanged = 0;
  for (std::size_t i = 0; i < kPixels; ++i) {
    ASSERT_GE(black[i], 0);
    ASSERT_LE(white[i], 0);
    black_unchanged += black[i] == 0 ? 1 : 0;
    white_unchanged += white[i] == 0 ? 1 : 0;
  }
  EXPECT_NEAR(black_unchanged / kPixels, normal_cdf(1 / sigma), 0.003);  // noise below 1 leaves 0
  EXPECT_NEAR(white_unchanged / kPixels, 0.5, 0.003);                    // noise of 0 or more leaves 255
}

TEST(GaussianNoise, SeedDecidesAndPrefixesAgree) {
  std::vector<std::uint8_t> long_run(1003, 100);
  std::vector<std::uint8_t> short_run(500, 100);
  add_gaussian_noise(long_run, 50, 4);
  add_gaussian_noise(short_run, 50, 4);
  EXPECT_TRUE(std::equal(short_run.begin(), short_run.end(), long_run.begin()));
  std::vector<std::uint8_t> other(500, 100);
  add_gaussian_noise(other, 50, 5);
  EXPECT_NE(other, short_run);
}

TEST(GaussianNoise, NoVarianceChangesNothing) {
  std::vector<std::uint8_t> pixels{0, 1, 128, 254, 255};
  add_gaussian_noise(pixels, 0, 4);
  EXPECT_EQ(pixels, (std::vector<std::uint8_t>{0, 1, 128, 254, 255}));
}

}  // namespace
}  // namespace ringpose::data
