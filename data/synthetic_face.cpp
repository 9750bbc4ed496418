#include "data/synthetic_face.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <opencv2/imgproc.hpp>
#include <utility>

#include "data/random.hpp"
#include "data/synthetic_sprites.hpp"
#include "data/synthetic_texture.hpp"

namespace ringpose::data {
namespace {

constexpr double kExposure = 0.6;     // of the frame interval
constexpr double kBlurStep_px = 1.3;  // distance between averaged moments
constexpr int kMaxMoments = 16;
constexpr double kLargestScale = 1.2;    // px per face unit, times the frame's unit
constexpr double kNoiseDeviation = 3.5;  // grey levels
constexpr int kNoiseLength = 1 << 15;
constexpr std::uint64_t kBackdropStream = 101;
constexpr std::uint64_t kSpriteStream = 102;
constexpr std::uint64_t kNoiseStream = 103;
constexpr std::uint64_t kWhiskerStream = 104;

std::uint64_t derived_seed(std::uint64_t seed, std::uint64_t stream) {
  return Random{seed, stream}.next_u64();
}

/// Maps texels of `sprite`, placed at a point of the head, to picture pixels.
cv::Matx23d sprite_to_picture(const Sprite& sprite, const FacePose& pose, const FacePoint& origin) {
  const Keypoint center = project_face_point(pose, origin);
  const double size = pose.scale / sprite.texels_per_unit;
  const double c = std::cos(pose.roll_rad) * size;
  const double s = std::sin(pose.roll_rad) * size;
  const double wide = std::cos(pose.yaw_rad);  // foreshortening of a turned head
  const double high = std::cos(pose.pitch_rad);
  cv::Matx23d map(c * wide, -s * high, center.x_px, s * wide, c * high, center.y_px);
  map(0, 2) -= map(0, 0) * sprite.center.x + map(0, 1) * sprite.center.y;
  map(1, 2) -= map(1, 0) * sprite.center.x + map(1, 1) * sprite.center.y;
  return map;
}

/// Smallest rectangle of the picture that holds the mapped sprite.
cv::Rect covered_area(const cv::Mat& sprite, const cv::Matx23d& map, cv::Size picture) {
  cv::Point2d low(1e9, 1e9);
  cv::Point2d high(-1e9, -1e9);
  for (const int corner : {0, 1, 2, 3}) {
    const double x = (corner % 2) * sprite.cols;
    const double y = (corner / 2) * sprite.rows;
    const cv::Point2d at(map(0, 0) * x + map(0, 1) * y + map(0, 2), map(1, 0) * x + map(1, 1) * y + map(1, 2));
    low = {std::min(low.x, at.x), std::min(low.y, at.y)};
    high = {std::max(high.x, at.x), std::max(high.y, at.y)};
  }
  const cv::Point first(static_cast<int>(std::floor(low.x)), static_cast<int>(std::floor(low.y)));
  const cv::Point last(static_cast<int>(std::ceil(high.x)) + 1, static_cast<int>(std::ceil(high.y)) + 1);
  return cv::Rect(first, last) & cv::Rect(cv::Point(0, 0), picture);
}

void paste(cv::Mat& picture, const Sprite& sprite, const FacePose& pose, const FacePoint& origin, cv::Mat& scratch) {
  cv::Matx23d map = sprite_to_picture(sprite, pose, origin);
  const cv::Rect area = covered_area(sprite.rgba, map, picture.size());
  if (area.empty()) return;
  map(0, 2) -= area.x;
  map(1, 2) -= area.y;
  cv::warpAffine(sprite.rgba, scratch, map, area.size(), cv::INTER_LINEAR, cv::BORDER_CONSTANT, cv::Scalar::all(0));
  for (int row = 0; row < area.height; ++row) {
    const std::uint8_t* from = scratch.ptr(row);
    std::uint8_t* to = picture.ptr(area.y + row) + 3 * area.x;
    for (int column = 0; column < area.width; ++column, from += 4, to += 3)
      for (int channel = 0; channel < 3; ++channel)
        to[channel] =
            static_cast<std::uint8_t>(std::min(255, from[channel] + (to[channel] * (255 - from[3]) + 127) / 255));
  }
}

}  // namespace

struct FacePainter::Impl {
  explicit Impl(FaceMotion face_motion);
  void draw_backdrop(const FacePose& pose);
  void draw_whiskers(const FacePose& pose);
  void draw_head(const FacePose& pose);
  [[nodiscard]] int moments_in(double start_s, double end_s) const;
  void add_moment(const FacePose& pose);
  [[nodiscard]] Image developed(const FacePose& pose, int moments, int frame) const;

  FaceMotion motion;
  cv::Size size;
  double unit_px;
  cv::Mat backdrops[2];
  HeadSprites sprites;
  cv::Mat vignette;              // CV_32FC1: brightness towards the corners
  std::vector<float> noise;      // kNoiseLength grey levels
  cv::Mat canvas, sum, scratch;  // CV_8UC3, CV_16UC3, CV_8UC4
};

FacePainter::Impl::Impl(FaceMotion face_motion)
    : motion(std::move(face_motion)),
      size(motion.options().width_px, motion.options().height_px),
      unit_px(std::min(size.width / 320.0, size.height / 240.0)) {
  const std::uint64_t seed = motion.options().seed;
  // Larger than the picture, so that the backdrop can move behind the head.
  const cv::Size wide(size.width + size.width / 2, size.height + size.height / 3);
  for (int i : {0, 1}) backdrops[i] = make_backdrop(derived_seed(seed, kBackdropStream + 1000 * i), wide, unit_px);
  sprites = make_head_sprites(derived_seed(seed, kSpriteStream), kLargestScale * unit_px);
  vignette.create(size, CV_32FC1);
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x) {
      const double dx = 2.0 * x / size.width - 1;
      const double dy = 2.0 * y / size.height - 1;
      vignette.at<float>(y, x) = static_cast<float>(1.06 - 0.16 * (dx * dx + dy * dy));
    }
  Random random{seed, kNoiseStream};
  noise.resize(kNoiseLength);
  for (float& value : noise) value = static_cast<float>(kNoiseDeviation * random.normal());
}

void FacePainter::Impl::draw_backdrop(const FacePose& pose) {
  const cv::Size spare(backdrops[0].cols - size.width, backdrops[0].rows - size.height);
  const auto offset = [](double fraction, int range) {
    return std::clamp(static_cast<int>(fraction * range), 0, range);
  };
  const cv::Point at(offset(pose.background_x, spare.width), offset(pose.background_y, spare.height));
  cv::addWeighted(backdrops[0](cv::Rect(at, size)), 1 - pose.background_mix, backdrops[1](cv::Rect(at, size)),
                  pose.background_mix, 0, canvas);
}

void FacePainter::Impl::draw_whiskers(const FacePose& pose) {
  constexpr int kPerSide = 6;
  constexpr int kFraction = 4;  // bits of a pixel in drawing coordinates
  const auto to_drawing = [&](const FacePoint& point) {
    const Keypoint at = project_face_point(pose, point);
    return cv::Point(static_cast<int>(std::lround(at.x_px * (1 << kFraction))),
                     static_cast<int>(std::lround(at.y_px * (1 << kFraction))));
  };
  const FacePoint nose = face_part_point(kNose);
  for (const double side : {-1.0, 1.0})
    for (int i = 0; i < kPerSide; ++i) {
      Random random{motion.options().seed, kWhiskerStream, static_cast<std::uint64_t>(i + (side > 0 ? kPerSide : 0))};
      const double length = random.uniform(26, 46);
      const double angle = -0.5 + 1.1 * i / (kPerSide - 1) + pose.whisk_rad + random.uniform(-0.06, 0.06);
      const double y = nose.y + pose.nose_twitch + 1 + 1.1 * i;
      const FacePoint root{nose.x + side * (12 + random.uniform(0, 3)), y, nose.depth - 6};
      const FacePoint middle{root.x + side * 0.5 * length * std::cos(angle), y + 0.5 * length * std::sin(angle) - 2,
                             nose.depth - 10};
      const FacePoint tip{root.x + side * length * std::cos(angle), y + length * std::sin(angle), nose.depth - 18};
      const std::vector<cv::Point> line{to_drawing(root), to_drawing(middle), to_drawing(tip)};
      cv::polylines(canvas, line, false, cv::Scalar(206, 198, 188), 1, cv::LINE_AA, kFraction);
    }
}

void FacePainter::Impl::draw_head(const FacePose& pose) {
  paste(canvas, sprites.body, pose, {0, 44, -60}, scratch);
  paste(canvas, sprites.ear, pose, {-41, -40, -14}, scratch);
  paste(canvas, sprites.mirrored_ear, pose, {41, -40, -14}, scratch);
  paste(canvas, sprites.head, pose, {0, 0, 0}, scratch);
  for (const FacePart eye : {kLeftEye, kRightEye}) {
    const int stage = static_cast<int>(std::lround(pose.eye_open[eye] * kEyeSteps));
    paste(canvas, sprites.eyes[stage], pose, face_part_point(eye), scratch);
  }
  FacePoint nose = face_part_point(kNose);
  nose.y += pose.nose_twitch;
  paste(canvas, sprites.muzzle, pose, nose, scratch);
  draw_whiskers(pose);
}

int FacePainter::Impl::moments_in(double start_s, double end_s) const {
  const FacePose poses[] = {motion.pose_at(start_s), motion.pose_at((start_s + end_s) / 2), motion.pose_at(end_s)};
  double path_px = 0;
  for (const FacePart part : {kLeftEye, kRightEye, kNose}) {
    double part_path_px = 0;
    for (int i : {0, 1}) {
      const Keypoint a = face_part_position(poses[i], part);
      const Keypoint b = face_part_position(poses[i + 1], part);
      part_path_px += std::hypot(b.x_px - a.x_px, b.y_px - a.y_px);
    }
    path_px = std::max(path_px, part_path_px);
  }
  return std::clamp(static_cast<int>(std::ceil(path_px / kBlurStep_px)), 1, kMaxMoments);
}

void FacePainter::Impl::add_moment(const FacePose& pose) {
  draw_backdrop(pose);
  draw_head(pose);
  cv::add(sum, canvas, sum, cv::noArray(), CV_16U);
}

/// Mean of the moments under the frame's light, with vignette and sensor noise.
Image FacePainter::Impl::developed(const FacePose& pose, int moments, int frame) const {
  const float gain[3] = {static_cast<float>(pose.light * (1 + 0.06 * pose.warmth) / moments),
                         static_cast<float>(pose.light / moments),
                         static_cast<float>(pose.light * (1 - 0.06 * pose.warmth) / moments)};
  Image image;
  image.height_px = size.height;
  image.width_px = size.width;
  image.pixels_HWC.resize(static_cast<std::size_t>(size.area()) * 3);
  const int row_values = 3 * size.width;
  for (int y = 0; y < size.height; ++y) {
    Random random{motion.options().seed, kNoiseStream, static_cast<std::uint64_t>(frame),
                  static_cast<std::uint64_t>(y)};
    std::size_t at = random.below(kNoiseLength);
    const auto* from = sum.ptr<std::uint16_t>(y);
    const auto* corner = vignette.ptr<float>(y);
    std::uint8_t* to = image.pixels_HWC.data() + static_cast<std::size_t>(y) * row_values;
    for (int x = 0; x < size.width; ++x)
      for (int channel = 0; channel < 3; ++channel, at = (at + 1) % kNoiseLength)
        to[3 * x + channel] =
            cv::saturate_cast<std::uint8_t>(from[3 * x + channel] * gain[channel] * corner[x] + noise[at]);
  }
  return image;
}

FacePainter::FacePainter(FaceMotion motion) : impl_(std::make_unique<Impl>(std::move(motion))) {}
FacePainter::~FacePainter() = default;

Image FacePainter::draw(int frame) {
  Impl& impl = *impl_;
  const double middle_s = impl.motion.frame_time_s(frame);
  const double exposure_s = kExposure / impl.motion.options().fps;
  const int moments = impl.moments_in(middle_s - exposure_s / 2, middle_s + exposure_s / 2);
  impl.sum = cv::Mat::zeros(impl.size, CV_16UC3);
  for (int i = 0; i < moments; ++i)
    impl.add_moment(impl.motion.pose_at(middle_s + exposure_s * ((i + 0.5) / moments - 0.5)));
  return impl.developed(impl.motion.pose_at(middle_s), moments, frame);
}

}  // namespace ringpose::data
