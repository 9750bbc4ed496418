// Every random choice against 24,000 runs of DeepLabCut 3.0.2's own pipeline (tests/golden/make_augmentation.py,
// draws.json). Two-sample Kolmogorov-Smirnov at level 0.001, with at least 10,000 of our draws for each parameter.
// Continuous parameters are stored as 1,000 evenly spaced order statistics, which adds at most 1/1000 to the distance;
// discrete ones as counts.
#include "data/augmentation_draw.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iomanip>
#include <map>
#include <nlohmann/json.hpp>
#include <opencv2/imgproc.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace ringpose::data {
namespace {

constexpr int kRuns = 24000;
constexpr ImageSize kSize{120, 160};

using Columns = std::map<std::string, std::vector<double>>;

const nlohmann::json& reference() {
  static const nlohmann::json document = [] {
    const std::string path = RINGPOSE_SOURCE_DIR "/tests/golden/augmentation/draws.json";
    std::ifstream file(path);
    if (!file) throw std::runtime_error("cannot read " + path);
    return nlohmann::json::parse(file);
  }();
  return document;
}

AugmentationOptions options_of(const nlohmann::json& setting) {
  AugmentationOptions options;
  const auto& crop = setting["crop_sampling"];
  options.crop_width_px = crop["width"].get<int>();
  options.crop_height_px = crop["height"].get<int>();
  options.crop_max_shift = crop["max_shift"].get<double>();
  options.crop_method = crop["method"].get<std::string>();
  options.translation_px = setting["translation"].get<double>();
  return options;
}

std::vector<Keypoint> keypoints_of(const nlohmann::json& setting) {
  std::vector<Keypoint> keypoints;
  for (const auto& entry : setting["keypoints"]) {
    keypoints.push_back(entry.is_null() ? Keypoint{} : Keypoint{entry[0].get<double>(), entry[1].get<double>()});
  }
  return keypoints;
}

double to_six_decimals(double value) {
  return std::round(value * 1e6) / 1e6;
}

/// The numbers that describe the kernel, as the script takes them.
void measure_blur(const AugmentationDraw& draw, Columns& columns) {
  cv::Mat kernel = cv::Mat::zeros(draw.blur_size_px, draw.blur_size_px, CV_8U);
  cv::line(kernel, {draw.blur_line[0], draw.blur_line[1]}, {draw.blur_line[2], draw.blur_line[3]}, cv::Scalar(1), 1);
  std::vector<cv::Point> pixels;
  cv::findNonZero(kernel, pixels);
  const auto count = static_cast<double>(pixels.size());
  cv::Point2d mean(0, 0);
  for (const auto& pixel : pixels) mean += cv::Point2d(pixel.x / count, pixel.y / count);
  double slope = 0;
  for (const auto& pixel : pixels) slope += (pixel.x - mean.x) * (pixel.y - mean.y);
  columns["blur_size_px"].push_back(draw.blur_size_px);
  columns["blur_pixels"].push_back(count);
  columns["blur_mean_x"].push_back(to_six_decimals(mean.x - draw.blur_size_px / 2));
  columns["blur_mean_y"].push_back(to_six_decimals(mean.y - draw.blur_size_px / 2));
  columns["blur_width"].push_back(std::abs(draw.blur_line[0] - draw.blur_line[2]));
  columns["blur_slope"].push_back(to_six_decimals(slope));
}

void measure(const AugmentationDraw& draw, Columns& columns) {
  columns["affine_applied"].push_back(draw.affine ? 1 : 0);
  columns["blur_applied"].push_back(draw.motion_blur ? 1 : 0);
  columns["noise_applied"].push_back(draw.gaussian_noise ? 1 : 0);
  columns["crop_x"].push_back(draw.crop_fraction_x);
  columns["crop_y"].push_back(draw.crop_fraction_y);
  columns["crop_sum"].push_back(draw.crop_fraction_x + draw.crop_fraction_y);
  if (draw.affine) {
    columns["rotation_deg"].push_back(draw.rotation_deg);
    columns["scale"].push_back(draw.scale);
    columns["translation_x_px"].push_back(draw.translation_x_px);
    columns["translation_y_px"].push_back(draw.translation_y_px);
  }
  if (draw.motion_blur) measure_blur(draw, columns);
  if (draw.gaussian_noise) columns["noise_variance"].push_back(draw.noise_variance);
}

/// One draw for each position of an epoch, as the loader makes them.
Columns draw_columns(const AugmentationOptions& options, const std::vector<Keypoint>& keypoints, int runs = kRuns) {
  Columns columns;
  for (int position = 0; position < runs; ++position) {
    Random random({42, 7, static_cast<std::uint64_t>(position)});
    measure(draw_augmentation(options, kSize, keypoints, random), columns);
  }
  for (auto& [name, values] : columns) std::ranges::sort(values);
  return columns;
}

/// A cumulative distribution as steps: value, and the share of draws up to and including it.
std::vector<std::pair<double, double>> reference_steps(const nlohmann::json& summary) {
  std::vector<std::pair<double, double>> steps;
  if (summary.contains("quantiles")) {
    const auto quantiles = summary["quantiles"].get<std::vector<double>>();
    for (std::size_t i = 0; i < quantiles.size(); ++i) {
      steps.emplace_back(quantiles[i], static_cast<double>(i + 1) / static_cast<double>(quantiles.size()));
    }
    return steps;
  }
  const double total = summary["n"].get<double>();
  double below = 0;
  for (std::size_t i = 0; i < summary["values"].size(); ++i) {
    below += summary["counts"][i].get<double>();
    steps.emplace_back(summary["values"][i].get<double>(), below / total);
  }
  return steps;
}

double share_up_to(const std::vector<std::pair<double, double>>& steps, double value) {
  const auto after = std::ranges::upper_bound(steps, value, {}, &std::pair<double, double>::first);
  return after == steps.begin() ? 0 : std::prev(after)->second;
}

double share_up_to(const std::vector<double>& sorted, double value) {
  return static_cast<double>(std::ranges::upper_bound(sorted, value) - sorted.begin()) /
         static_cast<double>(sorted.size());
}

/// To six significant digits, as the script stores continuous values: the crop fraction's largest value, just below 1,
/// is drawn often, and must meet the stored 1.
std::vector<double> as_stored(std::vector<double> values) {
  for (double& value : values) {
    std::ostringstream text;
    text << std::setprecision(6) << value;
    value = std::stod(text.str());
  }
  return values;
}

/// Largest distance of the two step functions, which is taken at one of their steps.
double distance(const std::vector<double>& unrounded, const nlohmann::json& summary) {
  const std::vector<double> sorted = summary.contains("quantiles") ? as_stored(unrounded) : unrounded;
  const auto steps = reference_steps(summary);
  double largest = 0;
  for (const auto& [value, share] : steps) {
    largest = std::max(largest, std::abs(share_up_to(sorted, value) - share_up_to(steps, value)));
  }
  for (const double value : sorted) {
    largest = std::max(largest, std::abs(share_up_to(sorted, value) - share_up_to(steps, value)));
  }
  return largest;
}

double critical_distance(const std::vector<double>& sorted, const nlohmann::json& summary) {
  const auto ours = static_cast<double>(sorted.size());
  const double theirs = summary["n"].get<double>();
  const double factor = std::sqrt(-0.5 * std::log(0.001 / 2));
  return factor * std::sqrt((ours + theirs) / (ours * theirs)) + (summary.contains("quantiles") ? 1e-3 : 0);
}

bool differs(const Columns& columns, const std::string& parameter, const nlohmann::json& setting) {
  const auto& summary = setting["parameters"][parameter];
  return distance(columns.at(parameter), summary) > critical_distance(columns.at(parameter), summary);
}

TEST(AugmentationDraw, EveryParameterIsDistributedAsInDeepLabCut) {
  int tested = 0;
  for (const auto& [name, setting] : reference()["settings"].items()) {
    const Columns columns = draw_columns(options_of(setting), keypoints_of(setting));
    for (const auto& [parameter, summary] : setting["parameters"].items()) {
      ASSERT_TRUE(columns.contains(parameter)) << parameter;
      const auto& ours = columns.at(parameter);
      EXPECT_GE(ours.size(), 10000U) << parameter;
      EXPECT_GE(summary["n"].get<int>(), 10000) << parameter;
      EXPECT_LT(distance(ours, summary), critical_distance(ours, summary)) << name << ": " << parameter;
      RecordProperty(name + "." + parameter,
                     std::to_string(distance(ours, summary) / critical_distance(ours, summary)));
      ++tested;
    }
  }
  EXPECT_EQ(tested, 17 + 6 * 3);
}

TEST(AugmentationDraw, TheTestAboveTellsWrongDistributions) {
  const auto& setting = reference()["settings"]["hybrid"];
  const std::vector<Keypoint> keypoints = keypoints_of(setting);
  const auto columns_with = [&](auto change) {
    AugmentationOptions options = options_of(setting);
    change(options);
    return draw_columns(options, keypoints);
  };
  EXPECT_TRUE(differs(columns_with([](auto& o) { o.scaling = {0.6, 1.25}; }), "scale", setting));
  EXPECT_TRUE(differs(columns_with([](auto& o) { o.rotation_deg = 27; }), "rotation_deg", setting));
  EXPECT_TRUE(differs(columns_with([](auto& o) { o.translation_px = 18; }), "translation_y_px", setting));
  EXPECT_TRUE(differs(columns_with([](auto& o) { o.affine_p = 0.45; }), "affine_applied", setting));
  EXPECT_TRUE(differs(columns_with([](auto& o) { o.gaussian_noise = 12; }), "noise_variance", setting));
  EXPECT_TRUE(differs(columns_with([](auto& o) { o.crop_max_shift = 0.2; }), "crop_x", setting));
  EXPECT_TRUE(differs(columns_with([](auto& o) { o.crop_method = "density"; }), "crop_x", setting));
  const auto& density = reference()["settings"]["density"];
  AugmentationOptions even = options_of(density);
  even.crop_method = "keypoints";
  EXPECT_TRUE(differs(draw_columns(even, keypoints), "crop_sum", density));
  // Keypoints that are not labelled count, at (0, 0): leaving them out is seen.
  std::vector<Keypoint> labelled = keypoints;
  std::erase_if(labelled, [](const Keypoint& keypoint) { return !keypoint.labelled(); });
  EXPECT_TRUE(differs(draw_columns(options_of(density), labelled), "crop_x", density));
}

// Each flag is a fair coin, and the three are independent: all eight combinations equally often.
TEST(AugmentationDraw, FlagsAreFairAndIndependent) {
  constexpr int kDraws = 10000;
  std::vector<int> combinations(8, 0);
  std::vector<int> single(3, 0);
  for (std::uint64_t position = 0; position < kDraws; ++position) {
    Random random({1, 2, position});
    const auto draw = draw_augmentation({}, kSize, {}, random);
    const std::vector<bool> flags{draw.affine, draw.motion_blur, draw.gaussian_noise};
    ++combinations[(flags[0] ? 4U : 0U) + (flags[1] ? 2U : 0U) + (flags[2] ? 1U : 0U)];
    for (std::size_t i = 0; i < 3; ++i) single[i] += flags[i] ? 1 : 0;
  }
  for (const int count : single) EXPECT_NEAR(count, kDraws / 2, 3.29 * std::sqrt(kDraws) / 2);  // binomial, level 0.001
  double chi_square = 0;
  for (const int count : combinations) chi_square += std::pow(count - kDraws / 8.0, 2) / (kDraws / 8.0);
  EXPECT_LT(chi_square, 24.32);  // 7 degrees of freedom at level 0.001
}

TEST(AugmentationDraw, SwitchedOffPartsAreNeverDrawn) {
  AugmentationOptions options;
  options.affine = options.crop = options.motion_blur = false;
  options.gaussian_noise = 0;
  for (std::uint64_t position = 0; position < 200; ++position) {
    Random random({1, 2, position});
    const auto draw = draw_augmentation(options, kSize, {}, random);
    EXPECT_FALSE(draw.affine || draw.crop || draw.motion_blur || draw.gaussian_noise);
    EXPECT_EQ(draw.output, kSize);
  }
  options = {.affine_p = 1, .motion_blur_p = 1, .gaussian_noise_p = 1};
  for (std::uint64_t position = 0; position < 200; ++position) {
    Random random({1, 2, position});
    const auto draw = draw_augmentation(options, kSize, {}, random);
    EXPECT_TRUE(draw.affine && draw.crop && draw.motion_blur && draw.gaussian_noise);
  }
}

TEST(AugmentationDraw, CropLiesInThePaddedImageAndEveryPlaceIsReached) {
  AugmentationOptions options;
  options.crop_method = "uniform";
  options.crop_width_px = 158;   // 3 places
  options.crop_height_px = 130;  // padded by 5 above and 5 below, 1 place
  std::map<int, int> places;
  for (std::uint64_t position = 0; position < 3000; ++position) {
    Random random({1, 2, position});
    const auto draw = draw_augmentation(options, kSize, {}, random);
    ++places[draw.crop_left_px];
    ASSERT_EQ(draw.crop_top_px, 0);
    ASSERT_EQ(draw.pad_top_px, 5);
    ASSERT_EQ(draw.pad_left_px, 0);
  }
  ASSERT_EQ(places.size(), 3U);
  EXPECT_EQ(places.begin()->first, 0);
  for (const auto& [place, count] : places) EXPECT_NEAR(count, 1000, 100) << place;
}

}  // namespace
}  // namespace ringpose::data
