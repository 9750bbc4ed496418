#include "data/synthetic_motion.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>

#include "data/error.hpp"

namespace ringpose::data {
namespace {

SyntheticVideoOptions video(int frames, std::uint64_t seed) {
  SyntheticVideoOptions options;
  options.frames = frames;
  options.seed = seed;
  return options;
}

double distance_px(const Keypoint& a, const Keypoint& b) {
  return std::hypot(a.x_px - b.x_px, a.y_px - b.y_px);
}

TEST(SyntheticVideoOptions, RefusesWhatCannotBeDrawn) {
  auto refused = [](auto change) {
    SyntheticVideoOptions options;
    change(options);
    EXPECT_THROW(options.validate(), ConfigError);
  };
  refused([](auto& o) { o.frames = 0; });
  refused([](auto& o) { o.width_px = 321; });
  refused([](auto& o) { o.height_px = 62; });
  refused([](auto& o) { o.fps = 0; });
  refused([](auto& o) { o.fps = std::nan(""); });
  EXPECT_NO_THROW(SyntheticVideoOptions{}.validate());
}

TEST(ProjectFacePoint, ScalesRollsAndShifts) {
  FacePose pose;
  pose.x_px = 100;
  pose.y_px = 50;
  pose.scale = 2;
  pose.roll_rad = std::numbers::pi / 2;  // x axis of the head points down
  const Keypoint at = project_face_point(pose, {10, 3, 0});
  EXPECT_NEAR(at.x_px, 100 - 2 * 3, 1e-9);
  EXPECT_NEAR(at.y_px, 50 + 2 * 10, 1e-9);
}

TEST(ProjectFacePoint, TurningMovesNearPartsFurther) {
  FacePose pose;
  pose.yaw_rad = std::numbers::pi / 6;
  EXPECT_NEAR(project_face_point(pose, {0, 0, 40}).x_px, 20, 1e-9);
  EXPECT_NEAR(project_face_point(pose, {10, 0, 0}).x_px, 10 * std::sqrt(3) / 2, 1e-9);
  pose = FacePose{};
  pose.pitch_rad = std::numbers::pi / 6;
  EXPECT_NEAR(project_face_point(pose, {0, 0, 40}).y_px, 20, 1e-9);
}

TEST(FaceSkeleton, LinksEyeNoseEye) {
  const Skeleton skeleton = face_skeleton();
  EXPECT_EQ(skeleton.bodyparts, (std::vector<std::string>{"lefteye", "righteye", "nose"}));
  EXPECT_EQ(skeleton.links, (std::vector<std::array<int, 2>>{{0, 2}, {2, 1}}));
}

TEST(FaceMotion, KeepsEveryPartInsideThePicture) {
  for (const auto& [width, height] : {std::pair{320, 240}, {640, 480}, {64, 64}, {480, 200}})
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      SyntheticVideoOptions options = video(300, seed);
      options.width_px = width;
      options.height_px = height;
      for (const FaceTruth& frame : FaceMotion(options).truth())
        for (const Keypoint& at : frame.positions) {
          ASSERT_GT(at.x_px, 1) << width << "x" << height << " seed " << seed;
          ASSERT_LT(at.x_px, width - 1);
          ASSERT_GT(at.y_px, 1);
          ASSERT_LT(at.y_px, height - 1);
        }
    }
}

TEST(FaceMotion, EveryPhaseOccursInTwoSeconds) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    std::map<FacePhase, int> count;
    for (const FaceTruth& frame : FaceMotion(video(60, seed)).truth()) ++count[frame.phase];
    for (const FacePhase phase : kFacePhases) EXPECT_GE(count[phase], 2) << face_phase_name(phase) << " seed " << seed;
  }
}

TEST(FaceMotion, BlinkIsTheFramesWithAHiddenEye) {
  int hidden[kFaceParts] = {};
  for (const FaceTruth& frame : FaceMotion(video(900, 3)).truth()) {
    const bool eye_hidden = !frame.visible[kLeftEye] || !frame.visible[kRightEye];
    EXPECT_EQ(frame.phase == FacePhase::blink, eye_hidden);
    for (int part = 0; part < kFaceParts; ++part) hidden[part] += frame.visible[part] ? 0 : 1;
  }
  EXPECT_GT(hidden[kLeftEye], 20);
  EXPECT_GT(hidden[kRightEye], 20);
  EXPECT_EQ(hidden[kNose], 0);
}

TEST(FaceMotion, StillFramesHardlyMoveAndRunningOnesJump) {
  const auto truth = FaceMotion(video(900, 5)).truth();
  double running_peak_px = 0;
  for (std::size_t i = 1; i < truth.size(); ++i) {
    const double step_px = distance_px(truth[i].positions[kNose], truth[i - 1].positions[kNose]);
    if (truth[i].phase == FacePhase::still && truth[i - 1].phase == FacePhase::still) {
      EXPECT_LT(step_px, 3) << "frame " << i;
    }
    if (truth[i].phase == FacePhase::running) running_peak_px = std::max(running_peak_px, step_px);
  }
  EXPECT_GT(running_peak_px, 12);  // more than a nose's width in one frame
}

TEST(FaceMotion, MovesWithoutTeleporting) {
  const FaceMotion motion(video(300, 8));
  constexpr double kStep_s = 1e-4;
  constexpr double kFastest_px_per_s = 4000;
  for (double t = 0; t < 10; t += kStep_s) {
    const FacePose a = motion.pose_at(t);
    const FacePose b = motion.pose_at(t + kStep_s);
    ASSERT_LT(distance_px(face_part_position(a, kNose), face_part_position(b, kNose)), kFastest_px_per_s * kStep_s)
        << t;
    ASSERT_LT(std::abs(a.eye_open[0] - b.eye_open[0]), 0.01) << t;
  }
}

TEST(FaceMotion, DependsOnTheSeedOnly) {
  const auto first = FaceMotion(video(50, 1)).truth();
  const auto again = FaceMotion(video(50, 1)).truth();
  const auto other = FaceMotion(video(50, 2)).truth();
  double difference_px = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].positions[kNose].x_px, again[i].positions[kNose].x_px);
    difference_px += distance_px(first[i].positions[kNose], other[i].positions[kNose]);
  }
  EXPECT_GT(difference_px / 50, 1);
}

}  // namespace
}  // namespace ringpose::data
