#include "data/synthetic_face.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace ringpose::data {
namespace {

SyntheticVideoOptions video(int frames, std::uint64_t seed) {
  SyntheticVideoOptions options;
  options.frames = frames;
  options.seed = seed;
  return options;
}

const std::uint8_t* pixel(const Image& image, int x, int y) {
  return &image.pixels_HWC[3 * (static_cast<std::size_t>(y) * image.width_px + x)];
}

double grey(const Image& image, int x, int y) {
  const std::uint8_t* rgb = pixel(image, x, y);
  return (rgb[0] + rgb[1] + rgb[2]) / 3.0;
}

/// Mean over the disc around a position of a function of (image, x, y).
template <typename Value>
double disc_mean(const Image& image, const Keypoint& at, double radius_px, const Value& value) {
  double sum = 0;
  int count = 0;
  for (int y = std::max(0, static_cast<int>(at.y_px - radius_px));
       y <= std::min(image.height_px - 1.0, at.y_px + radius_px); ++y)
    for (int x = std::max(0, static_cast<int>(at.x_px - radius_px));
         x <= std::min(image.width_px - 1.0, at.x_px + radius_px); ++x)
      if (std::hypot(x - at.x_px, y - at.y_px) <= radius_px) {
        sum += value(image, x, y);
        ++count;
      }
  return sum / count;
}

/// Centre of gravity of the pixels darker than half the fur around, within the eye's neighbourhood.
Keypoint dark_center(const Image& image, const Keypoint& at, double radius_px) {
  const double threshold = 0.5 * disc_mean(image, at, 1.6 * radius_px, grey);
  double sum = 0;
  Keypoint center{0, 0};
  for (int y = static_cast<int>(at.y_px - radius_px); y <= at.y_px + radius_px; ++y)
    for (int x = static_cast<int>(at.x_px - radius_px); x <= at.x_px + radius_px; ++x)
      if (grey(image, x, y) < threshold) {
        sum += 1;
        center.x_px += x;
        center.y_px += y;
      }
  return {center.x_px / sum, center.y_px / sum};
}

TEST(FacePainter, EqualSeedsGiveEqualBytesInAnyOrder) {
  const FaceMotion motion(video(40, 4));
  FacePainter forwards(motion);
  FacePainter backwards(motion);
  const Image first = forwards.draw(3);
  const Image second = forwards.draw(30);
  EXPECT_EQ(backwards.draw(30).pixels_HWC, second.pixels_HWC);
  EXPECT_EQ(backwards.draw(3).pixels_HWC, first.pixels_HWC);
  EXPECT_NE(FacePainter(FaceMotion(video(40, 5))).draw(3).pixels_HWC, first.pixels_HWC);
}

TEST(FacePainter, ImageHasTheSizeAskedFor) {
  SyntheticVideoOptions options = video(2, 1);
  options.width_px = 128;
  options.height_px = 96;
  const Image image = FacePainter(FaceMotion(options)).draw(1);
  EXPECT_EQ(image.width_px, 128);
  EXPECT_EQ(image.height_px, 96);
  EXPECT_EQ(image.pixels_HWC.size(), 128U * 96 * 3);
}

// The labels must sit on what is drawn: eyes are found again as dark discs, the nose as a reddish one.
TEST(FacePainter, DrawsEyesWhereTheTruthSays) {
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    const FaceMotion motion(video(600, seed));
    FacePainter painter(motion);
    double error_px = 0;
    int count = 0;
    for (int frame = 0; frame < 600; frame += 7) {
      const FaceTruth truth = motion.truth_of(frame);
      if (truth.phase != FacePhase::still ||
          motion.pose_at(motion.frame_time_s(frame)).eye_open != std::array{1.0, 1.0})
        continue;
      const Image image = painter.draw(frame);
      for (const FacePart eye : {kLeftEye, kRightEye}) {
        const Keypoint found = dark_center(image, truth.positions[eye], 10);
        error_px += std::hypot(found.x_px - truth.positions[eye].x_px, found.y_px - truth.positions[eye].y_px);
        ++count;
      }
    }
    ASSERT_GT(count, 20);
    EXPECT_LT(error_px / count, 1.0) << "seed " << seed;
  }
}

TEST(FacePainter, DrawsAPinkNoseWhereTheTruthSays) {
  const FaceMotion motion(video(600, 2));
  FacePainter painter(motion);
  const auto redness = [](const Image& image, int x, int y) { return pixel(image, x, y)[0] - pixel(image, x, y)[1]; };
  for (int frame = 0; frame < 600; frame += 31) {
    const FaceTruth truth = motion.truth_of(frame);
    if (truth.phase != FacePhase::still) continue;
    const Image image = painter.draw(frame);
    Keypoint forehead = truth.positions[kNose];
    forehead.y_px -= 38;
    EXPECT_GT(disc_mean(image, truth.positions[kNose], 3, redness), disc_mean(image, forehead, 3, redness) + 20)
        << frame;
  }
}

TEST(FacePainter, AClosedEyeIsNoLongerDark) {
  const FaceMotion motion(video(600, 6));
  FacePainter painter(motion);
  int compared = 0;
  for (int frame = 0; frame < 600; ++frame) {
    const FacePose pose = motion.pose_at(motion.frame_time_s(frame));
    if (pose.eye_open[kLeftEye] > 0 || pose.eye_open[kRightEye] < 1) continue;
    const Image image = painter.draw(frame);
    const double closed = disc_mean(image, face_part_position(pose, kLeftEye), 5, grey);
    const double open = disc_mean(image, face_part_position(pose, kRightEye), 5, grey);
    EXPECT_GT(closed, 1.3 * open) << frame;
    ++compared;
  }
  EXPECT_GT(compared, 5);
}

// Blur of a moving eye: its darkest pixels get lighter relative to the fur around it.
TEST(FacePainter, FastFramesAreBlurred) {
  const FaceMotion motion(video(900, 7));
  FacePainter painter(motion);
  const auto contrast = [&](int frame) {
    const Keypoint eye = motion.truth_of(frame).positions[kLeftEye];
    const Image image = painter.draw(frame);
    std::vector<double> values;
    for (int y = static_cast<int>(eye.y_px) - 14; y <= eye.y_px + 14; ++y)
      for (int x = static_cast<int>(eye.x_px) - 14; x <= eye.x_px + 14; ++x) values.push_back(grey(image, x, y));
    std::sort(values.begin(), values.end());
    return values[values.size() / 2] / std::max(1.0, values[values.size() / 20]);
  };
  std::pair<double, int> slowest{1e9, -1};
  std::pair<double, int> fastest{0, -1};
  for (int frame = 1; frame < 899; ++frame) {
    const FaceTruth truth = motion.truth_of(frame);
    if (truth.phase == FacePhase::blink || motion.pose_at(motion.frame_time_s(frame)).eye_open[0] < 1) continue;
    const Keypoint before = motion.truth_of(frame - 1).positions[kLeftEye];
    const Keypoint after = motion.truth_of(frame + 1).positions[kLeftEye];
    const double speed = std::hypot(after.x_px - before.x_px, after.y_px - before.y_px);
    slowest = std::min(slowest, {speed, frame});
    fastest = std::max(fastest, {speed, frame});
  }
  ASSERT_GT(fastest.first, 20);  // px over two frames
  EXPECT_GT(contrast(slowest.second), 1.5 * contrast(fastest.second));
}

}  // namespace
}  // namespace ringpose::data
