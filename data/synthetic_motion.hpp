// Where a synthetic mouse face is, and what it does, at any moment of a made-up video. Pure functions of (options,
// time). Shape letters: F frames, K bodyparts.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "data/sample.hpp"
#include "data/skeleton.hpp"

namespace ringpose::data {

struct SyntheticVideoOptions {
  int frames = 600;
  int width_px = 320;   ///< even, at least 64
  int height_px = 240;  ///< even, at least 64
  double fps = 30;
  std::uint64_t seed = 1;

  /// Throws ConfigError.
  void validate() const;
};

/// What the animal does in a frame. `running` includes the quick moves between places; `blink`: at least one eye is
/// closed, whether it runs or not.
enum class FacePhase { still, running, blink };
inline constexpr std::array kFacePhases{FacePhase::still, FacePhase::running, FacePhase::blink};
[[nodiscard]] std::string_view face_phase_name(FacePhase phase);

/// Channel order of everything below. Left and right are those of the picture.
inline constexpr int kFaceParts = 3;
enum FacePart { kLeftEye = 0, kRightEye = 1, kNose = 2 };
/// lefteye, righteye, nose; links lefteye-nose, nose-righteye.
[[nodiscard]] Skeleton face_skeleton();

/// A point of the head: face units (1 px in a 320x240 frame), x right, y down, origin between the cheeks; depth towards
/// the camera, which moves near parts further than far ones when the head turns.
struct FacePoint {
  double x = 0;
  double y = 0;
  double depth = 0;
};
[[nodiscard]] FacePoint face_part_point(FacePart part);

/// State of the scene at one moment.
struct FacePose {
  double x_px = 0;  ///< the head's origin in the picture
  double y_px = 0;
  double scale = 1;  ///< px per face unit
  double roll_rad = 0;
  double yaw_rad = 0;                    ///< positive: turned to the picture's right
  double pitch_rad = 0;                  ///< positive: nose down
  std::array<double, 2> eye_open{1, 1};  ///< left, right; 1 open, 0 closed
  double nose_twitch = 0;                ///< face units, sniffing
  double whisk_rad = 0;                  ///< whisker angle
  double light = 1;                      ///< factor on all brightness
  double warmth = 0;                     ///< -1 bluish to 1 reddish light
  double background_x = 0;               ///< position of the moving backdrop, 0 to 1 of its range
  double background_y = 0;
  double background_mix = 0;  ///< 0 to 1: from the first to the second texture
};

/// Picture position of a point of the head: weak perspective, turn, roll, scale, shift.
[[nodiscard]] Keypoint project_face_point(const FacePose& pose, const FacePoint& point);
/// Picture position of a bodypart, also where a closed lid hides it.
[[nodiscard]] Keypoint face_part_position(const FacePose& pose, FacePart part);
/// The nose always; an eye when its lids are open by 30 % or more.
[[nodiscard]] bool face_part_visible(const FacePose& pose, FacePart part);

/// Ground truth of one frame, at the middle of its exposure.
struct FaceTruth {
  FacePhase phase = FacePhase::still;
  std::array<Keypoint, kFaceParts> positions;  ///< known even where not visible
  std::array<bool, kFaceParts> visible{};
};

/// The motion of one video: stretches of sitting still and running in turn, each with a quick move to a new place, a
/// change of light, and mostly a blink of one or both eyes. Running sways, bobs and turns the head by up to about 20 px
/// a frame at 30 fps. Immutable; safe to use from several threads.
class FaceMotion {
 public:
  /// Throws ConfigError when the options are out of range.
  explicit FaceMotion(const SyntheticVideoOptions& options);

  [[nodiscard]] const SyntheticVideoOptions& options() const { return options_; }
  /// Middle of the exposure of a frame, seconds.
  [[nodiscard]] double frame_time_s(int frame) const { return (frame + 0.5) / options_.fps; }
  /// Scene at a time in [0, frames/fps]; times outside take the nearest stretch.
  [[nodiscard]] FacePose pose_at(double time_s) const;
  [[nodiscard]] FaceTruth truth_of(int frame) const;
  /// truth_of every frame, F values.
  [[nodiscard]] std::vector<FaceTruth> truth() const;

 private:
  /// A place and an attitude that the head keeps for one stretch.
  struct Home {
    double x_px, y_px, scale, roll_rad, yaw_rad, pitch_rad, light, warmth, background_mix;
  };
  struct Stretch {
    double start_s, end_s;
    bool running;
    double move_s;  ///< time taken to reach `home` from the home before
    Home home;
    double sway_hz, bob_hz, sway_phase, bob_phase;
    double blink_start_s, blink_length_s;  ///< length 0: no blink
    std::array<bool, 2> blinking_eyes;
  };
  void add_stretch(double start_s, double length_s);
  [[nodiscard]] Home draw_home(std::uint64_t index) const;
  [[nodiscard]] std::size_t stretch_at(double time_s) const;
  [[nodiscard]] FacePose resting_pose(std::size_t index, double time_s) const;
  void add_small_motion(FacePose& pose, double time_s) const;
  void add_running(FacePose& pose, const Stretch& stretch, double time_s) const;

  SyntheticVideoOptions options_;
  double unit_px_ = 1;
  std::vector<Stretch> stretches_;
};

}  // namespace ringpose::data
