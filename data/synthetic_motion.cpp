#include "data/synthetic_motion.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "data/error.hpp"
#include "data/random.hpp"

namespace ringpose::data {
namespace {

constexpr double kTwoPi = 2 * std::numbers::pi;
constexpr double kVisibleOpening = 0.3;
// Words that keep the random streams of one seed apart.
constexpr std::uint64_t kHomeStream = 1;
constexpr std::uint64_t kStretchStream = 2;
constexpr std::uint64_t kSmallMotionStream = 3;

/// 0 below 0, 1 above 1, smooth between: position of a quick move that starts and ends at rest.
double smooth_step(double t) {
  t = std::clamp(t, 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

double mix(double a, double b, double t) {
  return a + (b - a) * t;
}

/// Lids close within a quarter of the blink, stay closed for half, open again.
double opening_in_blink(double fraction) {
  if (fraction <= 0 || fraction >= 1) return 1;
  return 1 - smooth_step(std::min(fraction, 1 - fraction) / 0.25);
}

}  // namespace

void SyntheticVideoOptions::validate() const {
  const auto refuse = [](const std::string& what) {
    throw ConfigError("cannot make a synthetic video: " + what + ".");
  };
  if (frames < 1) refuse("frames is " + std::to_string(frames) + ", expected at least 1");
  for (const int size : {width_px, height_px})
    if (size < 64 || size > 4096 || size % 2 != 0)
      refuse("width x height is " + std::to_string(width_px) + "x" + std::to_string(height_px) +
             ", expected even numbers from 64 to 4096");
  if (!(fps >= 1 && fps <= 1000)) refuse("fps is " + std::to_string(fps) + ", expected 1 to 1000");
}

std::string_view face_phase_name(FacePhase phase) {
  switch (phase) {
    case FacePhase::still:
      return "still";
    case FacePhase::running:
      return "running";
    case FacePhase::blink:
      break;
  }
  return "blink";
}

Skeleton face_skeleton() {
  return {{"lefteye", "righteye", "nose"}, {{kLeftEye, kNose}, {kNose, kRightEye}}};
}

FacePoint face_part_point(FacePart part) {
  switch (part) {
    case kLeftEye:
      return {-25, -9, 14};
    case kRightEye:
      return {25, -9, 14};
    case kNose:
      break;
  }
  return {0, 33, 34};
}

Keypoint project_face_point(const FacePose& pose, const FacePoint& point) {
  const double x = point.x * std::cos(pose.yaw_rad) + point.depth * std::sin(pose.yaw_rad);
  const double y = point.y * std::cos(pose.pitch_rad) + point.depth * std::sin(pose.pitch_rad);
  const double c = std::cos(pose.roll_rad) * pose.scale;
  const double s = std::sin(pose.roll_rad) * pose.scale;
  return {pose.x_px + c * x - s * y, pose.y_px + s * x + c * y};
}

Keypoint face_part_position(const FacePose& pose, FacePart part) {
  FacePoint point = face_part_point(part);
  if (part == kNose) point.y += pose.nose_twitch;
  return project_face_point(pose, point);
}

bool face_part_visible(const FacePose& pose, FacePart part) {
  return part == kNose || pose.eye_open[part] >= kVisibleOpening;
}

FaceMotion::FaceMotion(const SyntheticVideoOptions& options) : options_(options) {
  options.validate();
  unit_px_ = std::min(options.width_px / 320.0, options.height_px / 240.0);
  const double total_s = options.frames / options.fps;
  // Short videos get short stretches, so that every phase occurs in a second or two already.
  const double typical_s = std::clamp(total_s / 8, 0.25, 1.8);
  for (double start_s = 0; start_s < total_s;) {
    Random random{options.seed, kStretchStream, stretches_.size(), 0};
    const double length_s = typical_s * random.uniform(0.7, 1.3);
    add_stretch(start_s, length_s);
    start_s += length_s;
  }
}

void FaceMotion::add_stretch(double start_s, double length_s) {
  const std::uint64_t index = stretches_.size();
  Random random{options_.seed, kStretchStream, index, 1};
  Stretch stretch{};
  stretch.start_s = start_s;
  stretch.end_s = start_s + length_s;
  stretch.running = index % 2 == 1;
  stretch.move_s = std::min(random.uniform(0.1, 0.3), length_s / 2);
  stretch.home = draw_home(index);
  stretch.sway_hz = random.uniform(1.4, 2.4);
  stretch.bob_hz = random.uniform(3.5, 5.5);
  stretch.sway_phase = random.uniform(0, kTwoPi);
  stretch.bob_phase = random.uniform(0, kTwoPi);
  const bool blinks = random.uniform() < (stretch.running ? 0.6 : 1.0);
  stretch.blink_length_s = blinks ? std::min(random.uniform(0.3, 0.6), length_s * 0.6) : 0;
  stretch.blink_start_s = start_s + random.uniform(0.3, 0.9) * (length_s - stretch.blink_length_s);
  // Left, right and both in turn, so that even a short video has each of them.
  const std::uint64_t turn = (index + options_.seed) % 3;
  stretch.blinking_eyes = {turn != 1, turn != 0};
  stretches_.push_back(stretch);
}

FaceMotion::Home FaceMotion::draw_home(std::uint64_t index) const {
  Random random{options_.seed, kHomeStream, index};
  Home home{};
  home.x_px = options_.width_px * random.uniform(0.33, 0.67);
  home.y_px = options_.height_px * random.uniform(0.37, 0.57);
  home.scale = unit_px_ * random.uniform(0.85, 1.15);
  home.roll_rad = random.uniform(-0.2, 0.2);
  home.yaw_rad = random.uniform(-0.35, 0.35);
  home.pitch_rad = random.uniform(-0.25, 0.15);
  home.light = random.uniform(0.7, 1.2);
  home.warmth = random.uniform(-1, 1);
  home.background_mix = random.uniform();
  return home;
}

std::size_t FaceMotion::stretch_at(double time_s) const {
  const auto after = std::upper_bound(stretches_.begin(), stretches_.end(), time_s,
                                      [](double t, const Stretch& stretch) { return t < stretch.start_s; });
  return after == stretches_.begin() ? 0 : static_cast<std::size_t>(after - stretches_.begin()) - 1;
}

FacePose FaceMotion::resting_pose(std::size_t index, double time_s) const {
  const Stretch& stretch = stretches_[index];
  const Home& from = stretches_[index > 0 ? index - 1 : 0].home;
  const Home& to = stretch.home;
  const double t = smooth_step((time_s - stretch.start_s) / stretch.move_s);
  FacePose pose;
  pose.x_px = mix(from.x_px, to.x_px, t);
  pose.y_px = mix(from.y_px, to.y_px, t);
  pose.scale = mix(from.scale, to.scale, t);
  pose.roll_rad = mix(from.roll_rad, to.roll_rad, t);
  pose.yaw_rad = mix(from.yaw_rad, to.yaw_rad, t);
  pose.pitch_rad = mix(from.pitch_rad, to.pitch_rad, t);
  pose.light = mix(from.light, to.light, t);
  pose.warmth = mix(from.warmth, to.warmth, t);
  pose.background_mix = mix(from.background_mix, to.background_mix, t);
  return pose;
}

void FaceMotion::add_small_motion(FacePose& pose, double time_s) const {
  // Each frequency has its own phase, whatever the order of evaluation.
  const auto wave = [&](double hz) {
    Random random{options_.seed, kSmallMotionStream, static_cast<std::uint64_t>(std::lround(hz * 100))};
    return std::sin(kTwoPi * (hz * time_s + random.uniform()));
  };
  pose.x_px += unit_px_ * (2.0 * wave(0.31) + 0.7 * wave(1.3));
  pose.y_px += unit_px_ * (1.5 * wave(0.43) + 0.7 * wave(1.7));
  pose.roll_rad += 0.03 * wave(0.37);
  pose.yaw_rad += 0.05 * wave(0.53);
  pose.nose_twitch = 0.8 * wave(6.5);
  pose.whisk_rad = 0.12 * wave(7.1);
  pose.light *= 1 + 0.06 * wave(0.23);
  pose.background_x = 0.5 + 0.25 * wave(0.11);
  pose.background_y = 0.5 + 0.3 * wave(0.07);
}

void FaceMotion::add_running(FacePose& pose, const Stretch& stretch, double time_s) const {
  const double ramp_s = std::min(0.15, (stretch.end_s - stretch.start_s) / 3);
  const double strength =
      smooth_step((time_s - stretch.start_s) / ramp_s) * smooth_step((stretch.end_s - time_s) / ramp_s);
  const double sway = strength * std::sin(kTwoPi * stretch.sway_hz * time_s + stretch.sway_phase);
  const double bob = strength * std::sin(kTwoPi * stretch.bob_hz * time_s + stretch.bob_phase);
  pose.x_px += 28 * unit_px_ * sway;
  pose.y_px += 11 * unit_px_ * bob;
  pose.roll_rad += 0.14 * sway;
  pose.yaw_rad += 0.2 * sway;
  pose.pitch_rad += 0.12 * bob;
  pose.background_x += 0.2 * strength * std::sin(kTwoPi * 1.1 * time_s);
}

FacePose FaceMotion::pose_at(double time_s) const {
  const std::size_t index = stretch_at(time_s);
  const Stretch& stretch = stretches_[index];
  FacePose pose = resting_pose(index, time_s);
  add_small_motion(pose, time_s);
  if (stretch.running) add_running(pose, stretch, time_s);
  if (stretch.blink_length_s > 0) {
    const double opening = opening_in_blink((time_s - stretch.blink_start_s) / stretch.blink_length_s);
    for (int eye = 0; eye < 2; ++eye)
      if (stretch.blinking_eyes[eye]) pose.eye_open[eye] = opening;
  }
  return pose;
}

FaceTruth FaceMotion::truth_of(int frame) const {
  const double time_s = frame_time_s(frame);
  const FacePose pose = pose_at(time_s);
  FaceTruth truth;
  const std::size_t index = stretch_at(time_s);
  const Stretch& stretch = stretches_[index];
  const bool moving =
      index > 0 && time_s < stretch.start_s + stretch.move_s;  // the first stretch has nowhere to come from
  truth.phase = stretch.running || moving ? FacePhase::running : FacePhase::still;
  for (const FacePart part : {kLeftEye, kRightEye, kNose}) {
    truth.positions[part] = face_part_position(pose, part);
    truth.visible[part] = face_part_visible(pose, part);
    if (!truth.visible[part]) truth.phase = FacePhase::blink;
  }
  return truth;
}

std::vector<FaceTruth> FaceMotion::truth() const {
  std::vector<FaceTruth> frames;
  frames.reserve(options_.frames);
  for (int frame = 0; frame < options_.frames; ++frame) frames.push_back(truth_of(frame));
  return frames;
}

}  // namespace ringpose::data
