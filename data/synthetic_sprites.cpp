#include "data/synthetic_sprites.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "data/random.hpp"
#include "data/synthetic_texture.hpp"

namespace ringpose::data {
namespace {

/// Colour 0 to 255 and opacity 0 to 1 of one texel.
struct Texel {
  cv::Vec3d colour;
  double opacity = 0;
};

cv::Vec3d blend(const cv::Vec3d& a, const cv::Vec3d& b, double t) {
  return a * (1 - t) + b * t;
}

/// 1 inside an edge, 0 outside, soft over `softness`; `distance` is negative inside.
double soft_edge(double distance, double softness) {
  return std::clamp(0.5 - distance / softness, 0.0, 1.0);
}

/// Roughly the distance to an ellipse around (cx, cy), face units, negative inside.
double ellipse_distance(double x, double y, double cx, double cy, double rx, double ry) {
  return (std::hypot((x - cx) / rx, (y - cy) / ry) - 1) * std::min(rx, ry);
}

template <typename TexelAt>
Sprite draw_sprite(cv::Point2d half_size, double texels_per_unit, const TexelAt& texel_at) {
  Sprite sprite;
  sprite.texels_per_unit = texels_per_unit;
  const int half_width = static_cast<int>(std::ceil(half_size.x * texels_per_unit)) + 1;
  const int half_height = static_cast<int>(std::ceil(half_size.y * texels_per_unit)) + 1;
  sprite.center = cv::Point2d(half_width, half_height);
  sprite.rgba.create(2 * half_height + 1, 2 * half_width + 1, CV_8UC4);
  for (int row = 0; row < sprite.rgba.rows; ++row)
    for (int column = 0; column < sprite.rgba.cols; ++column) {
      const Texel texel = texel_at((column - half_width) / texels_per_unit, (row - half_height) / texels_per_unit);
      auto& out = sprite.rgba.at<cv::Vec4b>(row, column);
      for (int channel = 0; channel < 3; ++channel)
        out[channel] = cv::saturate_cast<std::uint8_t>(texel.colour[channel] * texel.opacity);
      out[3] = cv::saturate_cast<std::uint8_t>(255 * texel.opacity);
    }
  return sprite;
}

/// Fur colours and strands; strands run away from the nose, as on a real head.
class Fur {
 public:
  explicit Fur(std::uint64_t seed) : seed_(seed) {
    static const cv::Vec3d kCoats[] = {{150, 122, 90}, {132, 130, 130}, {168, 148, 122}, {112, 92, 74}};
    Random random{seed, 11};
    coat_ = kCoats[random.below(std::size(kCoats))] * random.uniform(0.9, 1.1);
    belly_ = blend(coat_, cv::Vec3d(225, 212, 196), 0.6);
    skin_ = cv::Vec3d(214, 150, 142) * random.uniform(0.85, 1.05);
  }
  [[nodiscard]] const cv::Vec3d& coat() const { return coat_; }
  [[nodiscard]] const cv::Vec3d& belly() const { return belly_; }
  [[nodiscard]] const cv::Vec3d& skin() const { return skin_; }

  /// Brightness factor around 1 of the strand at (x, y), relative to a whorl at the nose.
  [[nodiscard]] double strand(double x, double y) const {
    const double radius = std::hypot(x, y - 30);
    const double angle = std::atan2(y - 30, x);
    const double wobble = 0.25 * value_noise(seed_ + 21, x / 9, y / 9);
    const double fine = value_noise(seed_ + 22, (angle + wobble) * 26, radius / 5);
    const double finer = value_noise(seed_ + 23, (angle + wobble) * 60, radius / 3.5);
    const double patches = value_noise(seed_ + 24, x / 16, y / 16);
    return 0.62 + 0.32 * fine + 0.24 * finer + 0.2 * patches;
  }

 private:
  std::uint64_t seed_;
  cv::Vec3d coat_, belly_, skin_;
};

Sprite draw_body(const Fur& fur, double density) {
  return draw_sprite({84, 70}, density, [&](double x, double y) {
    const double ragged = 4 * fur.strand(x * 1.3, y * 1.3);
    const double distance = ellipse_distance(x, y, 0, 8, 70, 54) + ragged - 3;
    const double shade = 0.75 - 0.25 * std::clamp(y / 60, -1.0, 1.0);
    return Texel{blend(fur.coat(), fur.belly(), std::clamp(y / 90, 0.0, 0.5)) * (shade * fur.strand(x, y - 40)),
                 soft_edge(distance, 5)};
  });
}

Sprite draw_ear(const Fur& fur, double density, double side) {
  return draw_sprite({28, 30}, density, [&](double x, double y) {
    x *= side;
    const double rim = ellipse_distance(x, y, 0, 0, 22, 24);
    const double inside = soft_edge(ellipse_distance(x, y, -1.5, 2, 16, 18), 5);
    const double fold = 0.72 + 0.3 * std::clamp((y + 20) / 45 - x / 60, 0.0, 1.0);
    const cv::Vec3d skin = fur.skin() * (fold * (0.9 + 0.15 * value_noise(5, x / 5, y / 5)));
    return Texel{blend(fur.coat() * (0.85 * fur.strand(x, y)), skin, 0.85 * inside), soft_edge(rim, 2.5)};
  });
}

/// Wide between the ears, tapering to the muzzle.
double head_distance(double x, double y) {
  const double skull = ellipse_distance(x, y, 0, -8, 46, 38);
  const double cheeks = ellipse_distance(x, y, 0, 12, 39, 30);
  return std::min(skull, cheeks);
}

Sprite draw_head(const Fur& fur, double density) {
  return draw_sprite({54, 54}, density, [&](double x, double y) {
    const double strand = fur.strand(x, y);
    const double distance = head_distance(x, y) + 5 * (strand - 0.95);
    const double roundness = 1.08 - 0.42 * std::pow(std::clamp(1 + head_distance(x, y) / 42, 0.0, 1.0), 2.5);
    const double blaze = 0.10 * std::exp(-(x * x) / 120) * (y < 10 ? 1 : 0.6);
    const double sockets = 0.16 * (std::exp(-(std::pow(x - 25, 2) + std::pow(y + 9, 2)) / 190) +
                                   std::exp(-(std::pow(x + 25, 2) + std::pow(y + 9, 2)) / 190));
    const cv::Vec3d colour = blend(fur.coat(), fur.belly(), std::clamp((y - 8) / 40, 0.0, 0.55));
    return Texel{colour * (strand * (roundness + blaze - sockets)), soft_edge(distance, 3.5)};
  });
}

/// An eye whose lids are open by `opening`. A closed one shows a dark line where the lids meet.
Sprite draw_eye(const Fur& fur, double density, double opening) {
  constexpr double kRadius = 8.6;
  return draw_sprite({12, 12}, density, [&](double x, double y) {
    const double socket = soft_edge(std::hypot(x, y) - 10.4, 2.5);
    const double half_height = kRadius * std::sqrt(std::max(0.0, 1 - (x * x) / (kRadius * kRadius)));
    const double lid_line = 1.5 * (1 - opening) * (1 - (x * x) / 80);  // closed lids meet a little below the middle
    const double gap = std::abs(y - lid_line) - half_height * opening;
    const double inside = std::abs(x) < kRadius ? soft_edge(gap, 1.6) * std::clamp(opening * 6, 0.0, 1.0) : 0;
    const double highlight = std::exp(-(std::pow(x + 2.6, 2) + std::pow(y + 3.0, 2)) / 2.6);
    const double glow = 0.35 * std::exp(-(std::pow(x - 2.5, 2) + std::pow(y - 3.5, 2)) / 9);
    const cv::Vec3d ball = cv::Vec3d(16, 12, 13) + cv::Vec3d(70, 56, 58) * glow + cv::Vec3d(235, 238, 240) * highlight;
    const double crease = std::exp(-std::pow(gap / 0.9, 2)) * (std::abs(x) < kRadius ? 1 : 0);
    const cv::Vec3d lid =
        blend(blend(fur.coat(), fur.skin(), 0.25) * (fur.strand(x, y) * 0.98), cv::Vec3d(48, 34, 32), 0.8 * crease);
    return Texel{blend(lid, ball, inside), socket};
  });
}

/// Whisker pads, mouth and a pink nose with two nostrils; origin at the tip of the nose.
Sprite draw_muzzle(const Fur& fur, double density) {
  return draw_sprite({27, 24}, density, [&](double x, double y) {
    const double pads = std::min(ellipse_distance(std::abs(x), y, 9, 3, 14, 13), ellipse_distance(x, y, 0, -6, 12, 14));
    const double chin = ellipse_distance(x, y, 0, 13, 9, 7);
    const double shade = 1.05 - 0.35 * std::pow(std::clamp(1 + pads / 14, 0.0, 1.0), 2) - (chin < pads ? 0.12 : 0);
    cv::Vec3d colour = fur.belly() * (shade * (0.55 + 0.45 * fur.strand(x, y + 33)));
    const double cleft = std::exp(-(x * x) / 0.7) * std::clamp((y - 3) / 2, 0.0, 1.0) * (y < 9.5 ? 1 : 0);
    const double smile = std::exp(-std::pow(y - 9.5 - 1.6 * std::sin(std::min(std::abs(x), 9.0) * 0.35), 2) / 0.8) *
                         (std::abs(x) < 8 ? 1 : 0);
    colour = blend(colour, cv::Vec3d(70, 40, 40), 0.75 * std::min(1.0, cleft + smile));
    // The nose is wider above than below.
    const double nose = std::hypot(x / (6.2 - 0.35 * y), y / 4.6) - 1;
    const double nostrils = std::exp(-(std::pow(std::abs(x) - 3.2, 2) + std::pow(y - 0.8, 2)) / 1.3);
    const double shine = 0.5 * std::exp(-(x * x / 5 + std::pow(y + 2.2, 2) / 1.2));
    const cv::Vec3d pink =
        blend(blend(cv::Vec3d(222, 128, 132), cv::Vec3d(72, 34, 38), 0.85 * nostrils), cv::Vec3d(255, 236, 232), shine);
    colour = blend(colour, pink, soft_edge(nose * 4.6, 1.5));
    const double edge = std::min(pads, chin) + 3 * (fur.strand(x, y + 33) - 0.95);
    return Texel{colour, std::max(soft_edge(edge, 4), soft_edge(nose * 4.6, 1.5))};
  });
}

}  // namespace

HeadSprites make_head_sprites(std::uint64_t seed, double texels_per_unit) {
  const Fur fur(seed);
  HeadSprites sprites;
  sprites.body = draw_body(fur, texels_per_unit);
  sprites.ear = draw_ear(fur, texels_per_unit, 1);
  sprites.mirrored_ear = draw_ear(fur, texels_per_unit, -1);
  sprites.head = draw_head(fur, texels_per_unit);
  for (int step = 0; step <= kEyeSteps; ++step)
    sprites.eyes.push_back(draw_eye(fur, texels_per_unit, static_cast<double>(step) / kEyeSteps));
  sprites.muzzle = draw_muzzle(fur, texels_per_unit);
  return sprites;
}

}  // namespace ringpose::data
