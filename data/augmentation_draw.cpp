#include "data/augmentation_draw.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace ringpose::data {
namespace {

/// Largest number below 1: DeepLabCut clips the crop fraction to it.
const double kBelowOne = std::nextafter(1.0, 0.0);

enum class CropMethod { kUniform, kKeypoints, kDensity };

CropMethod choose_method(const AugmentationOptions& options, Random& random) {
  if (options.crop_method == "hybrid") return random.below(2) == 0 ? CropMethod::kUniform : CropMethod::kDensity;
  if (options.crop_method == "density") return CropMethod::kDensity;
  return options.crop_method == "keypoints" ? CropMethod::kKeypoints : CropMethod::kUniform;
}

int uniform_integer(int low, int high, Random& random) {
  return low + static_cast<int>(random.below(static_cast<std::uint64_t>(high - low) + 1));
}

void draw_affine(const AugmentationOptions& options, AugmentationDraw& draw, Random& random) {
  draw.affine = options.affine && random.uniform() < options.affine_p;
  if (!draw.affine) return;
  const int translation = static_cast<int>(options.translation_px);
  draw.rotation_deg = random.uniform(-options.rotation_deg, options.rotation_deg);
  draw.scale = random.uniform(options.scaling[0], options.scaling[1]);
  draw.translation_x_px = uniform_integer(-translation, translation, random);
  draw.translation_y_px = uniform_integer(-translation, translation, random);
}

/// Where the keypoints lie after affine and padding; unlabelled ones start from (0, 0).
std::vector<Keypoint> keypoints_before_crop(std::span<const Keypoint> keypoints, const AugmentationDraw& draw) {
  const std::array<double, 6> m = affine_matrix(draw);
  std::vector<Keypoint> moved;
  moved.reserve(keypoints.size());
  for (const Keypoint& keypoint : keypoints) {
    const Keypoint from = keypoint.labelled() ? keypoint : Keypoint{0, 0};
    moved.push_back({m[0] * from.x_px + m[1] * from.y_px + m[2] + draw.pad_left_px,
                     m[3] * from.x_px + m[4] * from.y_px + m[5] + draw.pad_top_px});
  }
  return moved;
}

/// Weight of each keypoint as crop centre: 1 + the number of other keypoints within `radius_px`.
std::vector<double> density_weights(const std::vector<Keypoint>& keypoints, double radius_px) {
  std::vector<double> weights(keypoints.size(), 1.0);
  for (std::size_t i = 0; i < keypoints.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double dx = keypoints[i].x_px - keypoints[j].x_px;
      const double dy = keypoints[i].y_px - keypoints[j].y_px;
      if (dx * dx + dy * dy > radius_px * radius_px) continue;
      weights[i] += 1;
      weights[j] += 1;
    }
  }
  return weights;
}

std::size_t choose_weighted(const std::vector<double>& weights, Random& random) {
  double total = 0;
  for (const double weight : weights) total += weight;
  double left = random.uniform() * total;
  for (std::size_t i = 0; i + 1 < weights.size(); ++i) {
    if (left < weights[i]) return i;
    left -= weights[i];
  }
  return weights.size() - 1;
}

void draw_crop_fraction(const AugmentationOptions& options, std::span<const Keypoint> keypoints, ImageSize padded,
                        AugmentationDraw& draw, Random& random) {
  const bool any_visible = std::any_of(keypoints.begin(), keypoints.end(),
                                       [&](const Keypoint& keypoint) { return visible_in(keypoint, draw.input); });
  const CropMethod method = choose_method(options, random);
  if (method == CropMethod::kUniform || !any_visible) {
    draw.crop_fraction_x = random.uniform();
    draw.crop_fraction_y = random.uniform();
    return;
  }
  const std::vector<Keypoint> moved = keypoints_before_crop(keypoints, draw);
  const double radius_px = method == CropMethod::kDensity ? 0.1 * std::min(padded.height_px, padded.width_px) : -1.0;
  const Keypoint centre =
      moved[radius_px < 0 ? random.below(moved.size()) : choose_weighted(density_weights(moved, radius_px), random)];
  const double max_shift = std::clamp(options.crop_max_shift, 0.0, 0.4);
  const double shift_x_px = max_shift * random.uniform() * options.crop_width_px;
  const double shift_y_px = max_shift * random.uniform() * options.crop_height_px;
  draw.crop_fraction_x = std::clamp((centre.x_px + shift_x_px) / padded.width_px, 0.0, kBelowOne);
  draw.crop_fraction_y = std::clamp((centre.y_px + shift_y_px) / padded.height_px, 0.0, kBelowOne);
}

void draw_crop(const AugmentationOptions& options, std::span<const Keypoint> keypoints, AugmentationDraw& draw,
               Random& random) {
  if (!options.crop) return;
  draw.crop = true;
  draw.output = {options.crop_height_px, options.crop_width_px};
  const ImageSize padded{std::max(draw.input.height_px, options.crop_height_px),
                         std::max(draw.input.width_px, options.crop_width_px)};
  draw.pad_left_px = (padded.width_px - draw.input.width_px) / 2;
  draw.pad_top_px = (padded.height_px - draw.input.height_px) / 2;
  draw_crop_fraction(options, keypoints, padded, draw, random);
  draw.crop_left_px = static_cast<int>((padded.width_px - options.crop_width_px + 1) * draw.crop_fraction_x);
  draw.crop_top_px = static_cast<int>((padded.height_px - options.crop_height_px + 1) * draw.crop_fraction_y);
}

/// Both ends uniform in the kernel; a line that would be vertical by its x gets two different y, so it is never a dot.
/// (Equal y with different x needs no such care.)
void draw_motion_blur(const AugmentationOptions& options, AugmentationDraw& draw, Random& random) {
  draw.motion_blur = options.motion_blur && random.uniform() < options.motion_blur_p;
  if (!draw.motion_blur) return;
  draw.blur_size_px = 3 + 2 * uniform_integer(0, 2, random);
  const int last = draw.blur_size_px - 1;
  const int x0 = uniform_integer(0, last, random);
  const int x1 = uniform_integer(0, last, random);
  const int y0 = uniform_integer(0, last, random);
  int y1 = 0;
  if (x0 == x1) {
    y1 = uniform_integer(0, last - 1, random);
    if (y1 >= y0) ++y1;
  } else {
    y1 = uniform_integer(0, last, random);
  }
  draw.blur_line = {x0, y0, x1, y1};
}

void draw_noise(const AugmentationOptions& options, AugmentationDraw& draw, Random& random) {
  draw.gaussian_noise = options.gaussian_noise > 0 && random.uniform() < options.gaussian_noise_p;
  if (!draw.gaussian_noise) return;
  draw.noise_variance = random.uniform(0, options.gaussian_noise * options.gaussian_noise);
  draw.noise_seed = random.next_u64();
}

}  // namespace

AugmentationDraw draw_augmentation(const AugmentationOptions& options, ImageSize size,
                                   std::span<const Keypoint> keypoints, Random& random) {
  AugmentationDraw draw;
  draw.input = size;
  draw.output = size;
  draw_affine(options, draw, random);
  draw_crop(options, keypoints, draw, random);
  draw_motion_blur(options, draw, random);
  draw_noise(options, draw, random);
  return draw;
}

std::array<double, 6> affine_matrix(const AugmentationDraw& draw) {
  if (!draw.affine) return {1, 0, 0, 0, 1, 0};
  const double angle = draw.rotation_deg * std::numbers::pi / 180.0;
  const double a = draw.scale * std::cos(angle);
  const double b = draw.scale * std::sin(angle);
  const double centre_x = (draw.input.width_px - 1) / 2.0;
  const double centre_y = (draw.input.height_px - 1) / 2.0;
  return {a, -b, centre_x + draw.translation_x_px - a * centre_x + b * centre_y,
          b, a,  centre_y + draw.translation_y_px - b * centre_x - a * centre_y};
}

bool visible_in(const Keypoint& keypoint, ImageSize size) {
  return keypoint.x_px > 0 && keypoint.x_px < size.width_px && keypoint.y_px > 0 && keypoint.y_px < size.height_px;
}

}  // namespace ringpose::data
