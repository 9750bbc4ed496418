#include "data/synthetic_labels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "data/error.hpp"

namespace ringpose::data {
namespace {

/// `still`, `running` and `blink` frames, one kind after the other.
std::vector<FaceTruth> frames_of(int still, int running, int blink) {
  std::vector<FaceTruth> truth(still + running + blink);
  for (int i = 0; i < still + running + blink; ++i) {
    truth[i].phase = i < still ? FacePhase::still : i < still + running ? FacePhase::running : FacePhase::blink;
    truth[i].positions = {Keypoint{1.23456, 2.0}, Keypoint{3.0, 4.0}, Keypoint{5.0, 6.9999}};
    truth[i].visible = {truth[i].phase != FacePhase::blink, true, true};
  }
  return truth;
}

std::map<FacePhase, int> phases(const std::vector<FaceTruth>& truth, const std::vector<int>& chosen) {
  std::map<FacePhase, int> count;
  for (const int frame : chosen) ++count[truth[frame].phase];
  return count;
}

TEST(ChooseLabelledFrames, TakesTheStatedShares) {
  const auto truth = frames_of(300, 300, 300);
  auto count = phases(truth, choose_labelled_frames(truth, 100, 1));
  EXPECT_EQ(count[FacePhase::still], 35);
  EXPECT_EQ(count[FacePhase::running], 40);
  EXPECT_EQ(count[FacePhase::blink], 25);
}

TEST(ChooseLabelledFrames, FillsUpFromOtherPhases) {
  const auto truth = frames_of(300, 10, 0);
  auto count = phases(truth, choose_labelled_frames(truth, 100, 1));
  EXPECT_EQ(count[FacePhase::still], 90);
  EXPECT_EQ(count[FacePhase::running], 10);
}

TEST(ChooseLabelledFrames, AreDifferentAscendingAndSpread) {
  const auto truth = frames_of(500, 0, 0);
  const auto chosen = choose_labelled_frames(truth, 50, 9);
  ASSERT_EQ(chosen.size(), 50U);
  for (std::size_t i = 0; i < chosen.size(); ++i) EXPECT_EQ(chosen[i] / 10, static_cast<int>(i));  // one in each ten
  EXPECT_NE(chosen, choose_labelled_frames(truth, 50, 10));
  EXPECT_EQ(chosen, choose_labelled_frames(truth, 50, 9));
}

TEST(ChooseLabelledFrames, CanTakeAllButNotMore) {
  const auto truth = frames_of(3, 4, 5);
  EXPECT_EQ(choose_labelled_frames(truth, 12, 1).size(), 12U);
  EXPECT_THROW((void)choose_labelled_frames(truth, 13, 1), ConfigError);
  EXPECT_THROW((void)choose_labelled_frames(truth, 0, 1), ConfigError);
}

// Digits as in DeepLabCut's frame extraction: ceil(log10(frames)), so a video of 1,000 frames has three.
TEST(ExtractedImageName, PadsLikeDeepLabCut) {
  EXPECT_EQ(extracted_image_name(7, 600), "img007.png");
  EXPECT_EQ(extracted_image_name(7, 2330), "img0007.png");
  EXPECT_EQ(extracted_image_name(7, 1000), "img007.png");
  EXPECT_EQ(extracted_image_name(9, 10), "img9.png");
}

TEST(FaceLabelTable, LeavesHiddenPartsOutAndRounds) {
  const auto truth = frames_of(1, 0, 1);
  const LabelTable table = face_label_table(truth, {0, 1}, "clip", "Ada");
  EXPECT_EQ(table.scorer, "Ada");
  EXPECT_EQ(table.bodyparts, (std::vector<std::string>{"lefteye", "righteye", "nose"}));
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(table.rows[0].folder, "clip");
  EXPECT_DOUBLE_EQ(table.rows[0].keypoints[0].x_px, 1.235);
  EXPECT_DOUBLE_EQ(table.rows[0].keypoints[2].y_px, 7.0);
  EXPECT_FALSE(table.rows[1].keypoints[0].labelled());
  EXPECT_TRUE(table.rows[1].keypoints[1].labelled());
}

}  // namespace
}  // namespace ringpose::data
