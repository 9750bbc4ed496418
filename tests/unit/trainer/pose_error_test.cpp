#include "trainer/pose_error.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

namespace ringpose::trainer {
namespace {

using data::Keypoint;

TEST(PoseErrors, AreThoseWorkedOutByHand) {
  // Two frames, two parts. Distances: part 0: 5 (3-4-5) and 0; part 1: not labelled, and 13 (5-12-13).
  const std::vector<Keypoint> truth{{10, 10}, {}, {20, 20}, {1, 2}};
  const std::vector<Prediction> predictions{{13, 14, 0.9}, {0, 0, 0.9}, {20, 20, 0.5}, {6, 14, 0.6}};
  const ErrorReport report = pose_errors(truth, predictions, 2, 0.6);
  EXPECT_DOUBLE_EQ(report.all.mean_px, 6);          // (5 + 0 + 13) / 3
  EXPECT_DOUBLE_EQ(report.all.mean_pcutoff_px, 9);  // 5 and 13; a likelihood of exactly 0.6 counts
  EXPECT_DOUBLE_EQ(report.all.median_px, 5);
  EXPECT_DOUBLE_EQ(report.all.max_px, 13);
  EXPECT_EQ(report.all.labelled, 3);
  EXPECT_EQ(report.all.above_pcutoff, 2);
  ASSERT_EQ(report.per_bodypart.size(), 2u);
  EXPECT_DOUBLE_EQ(report.per_bodypart[0].mean_px, 2.5);
  EXPECT_DOUBLE_EQ(report.per_bodypart[0].median_px, 2.5);  // of an even number: the middle two's mean
  EXPECT_DOUBLE_EQ(report.per_bodypart[1].mean_px, 13);
}

TEST(PoseErrors, AreNanWhereNothingCounts) {
  const std::vector<Keypoint> truth{{10, 10}, {}};
  const std::vector<Prediction> predictions{{10, 12, 0.1}, {0, 0, 1}};
  const ErrorReport report = pose_errors(truth, predictions, 2, 0.6);
  EXPECT_DOUBLE_EQ(report.all.mean_px, 2);
  EXPECT_TRUE(std::isnan(report.all.mean_pcutoff_px));
  EXPECT_TRUE(std::isnan(report.per_bodypart[1].mean_px));
  EXPECT_TRUE(std::isnan(report.per_bodypart[1].median_px));
  EXPECT_EQ(report.per_bodypart[1].labelled, 0);
}

TEST(PoseErrors, APredictionThatIsNoNumberIsInfinitelyWrong) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Keypoint> truth{{1, 1}};
  const std::vector<Prediction> predictions{{nan, 1, 1}};
  EXPECT_TRUE(std::isinf(pose_errors(truth, predictions, 1, 0.6).all.mean_px));
}

TEST(PoseErrors, EqualDeepLabCuts) {
  std::ifstream file(std::filesystem::path(RINGPOSE_SOURCE_DIR) / "tests" / "golden" / "pose_errors.json");
  const auto golden = nlohmann::json::parse(file);
  std::vector<Keypoint> truth;
  std::vector<Prediction> predictions;
  for (const auto& frame : golden["truth"])
    for (const auto& point : frame) truth.push_back(point.is_null() ? Keypoint{} : Keypoint{point[0], point[1]});
  for (const auto& frame : golden["predictions"])
    for (const auto& point : frame) predictions.push_back({point[0], point[1], point[2]});
  const ErrorReport report = pose_errors(truth, predictions, golden["parts"], golden["pcutoff"]);
  EXPECT_NEAR(report.all.mean_px, golden["rmse"].get<double>(), 1e-9);
  EXPECT_NEAR(report.all.mean_pcutoff_px, golden["rmse_pcutoff"].get<double>(), 1e-9);
  for (std::size_t k = 0; k < report.per_bodypart.size(); ++k)
    EXPECT_NEAR(report.per_bodypart[k].mean_px, golden["rmse_keypoint"][k].get<double>(), 1e-9);
}

TEST(MeanPositionGuess, IsTheMeanOverLabelledPoints) {
  const std::vector<Keypoint> training{{0, 10}, {}, {4, 30}, {}};
  const auto guess = mean_position_guess(training, 2, 3);
  ASSERT_EQ(guess.size(), 6u);
  EXPECT_DOUBLE_EQ(guess[4].x_px, 2);
  EXPECT_DOUBLE_EQ(guess[4].y_px, 20);
  EXPECT_TRUE(std::isnan(guess[5].x_px));
}

}  // namespace
}  // namespace ringpose::trainer
