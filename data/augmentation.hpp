// DeepLabCut's training augmentation: image and keypoints moved together.
// Source of meaning and order: DeepLabCut deeplabcut/pose_estimation_pytorch/data/transforms.py with
// albumentations 1.4.3. Two steps: draw_augmentation() (augmentation_draw.hpp) makes all random choices from image size
// and keypoints alone; augment() carries them out. Order: affine, pad to the crop size, crop, motion blur, Gaussian
// noise.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/random.hpp"
#include "data/sample.hpp"

namespace ringpose::data {

/// Fields and defaults as `data.train` of DeepLabCut's pytorch_config.yaml (bottom-up models).
struct AugmentationOptions {
  bool affine = true;
  double affine_p = 0.5;
  double rotation_deg = 30;                  ///< angle uniform in [-rotation, rotation]
  std::array<double, 2> scaling{0.5, 1.25};  ///< factor uniform in the range
  double translation_px = 0;                 ///< uniform integer in [-translation, translation], x and y apart
  bool crop = true;
  int crop_width_px = 448;
  int crop_height_px = 448;
  double crop_max_shift = 0.1;         ///< fraction of the crop size, clamped to [0, 0.4] as in DeepLabCut
  std::string crop_method = "hybrid";  ///< uniform | keypoints | density | hybrid
  bool motion_blur = true;
  double motion_blur_p = 0.5;
  double gaussian_noise =
      12.75;  ///< standard deviation limit in grey levels; variance uniform in [0, limit^2]; 0 = off
  double gaussian_noise_p = 0.5;
  /// Throws ConfigError naming the field.
  void validate() const;
};

/// All random choices for one sample; drawn from image size and keypoints alone, so every rank can draw those of every
/// sample.
struct AugmentationDraw;  // defined in augmentation_draw.hpp

/// The augmented image. Throws std::invalid_argument when the image is not RGB or not of the size drawn for.
[[nodiscard]] Image augment(const Image& image, const AugmentationDraw& draw);

/// The same, written to `pixels_HWC` of draw.height_px * draw.width_px * 3 bytes. Every byte is overwritten.
void augment_into(const Image& image, const AugmentationDraw& draw, std::span<std::uint8_t> pixels_HWC);

/// The keypoints in the augmented image. NaN where unlabelled, outside the source image (DeepLabCut: visible only where
/// 0 < x < width and 0 < y < height) or outside the augmented image.
[[nodiscard]] std::vector<Keypoint> augment(std::span<const Keypoint> keypoints, const AugmentationDraw& draw);

}  // namespace ringpose::data
