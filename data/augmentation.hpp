// DeepLabCut's training augmentation: image and keypoints moved together.
// Source of meaning and order: DeepLabCut deeplabcut/pose_estimation_pytorch/data/transforms.py with albumentations 1.4.3.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "data/random.hpp"
#include "data/sample.hpp"

namespace ringpose::data {

/// Fields and defaults as `data.train` of DeepLabCut's pytorch_config.yaml (bottom-up models).
struct AugmentationOptions {
  bool affine = true;
  double affine_p = 0.5;
  double rotation_deg = 30;                    ///< angle uniform in [-rotation, rotation]
  std::array<double, 2> scaling{0.5, 1.25};    ///< factor uniform in the range
  double translation_px = 0;                   ///< uniform integer in [-translation, translation]
  bool crop = true;
  int crop_width_px = 448;
  int crop_height_px = 448;
  double crop_max_shift = 0.1;
  std::string crop_method = "hybrid";          ///< uniform | keypoints | density | hybrid
  bool motion_blur = true;
  double motion_blur_p = 0.5;
  double gaussian_noise = 12.75;               ///< standard deviation limit in grey levels; 0 = off
  double gaussian_noise_p = 0.5;
  /// Throws ConfigError naming the field.
  void validate() const;
};

/// All random choices for one sample; drawn from image size and keypoints alone, so every rank can draw those of every sample.
struct AugmentationDraw;  // defined by the implementation in augmentation_draw.hpp

}  // namespace ringpose::data
