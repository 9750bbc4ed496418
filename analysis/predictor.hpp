// Frames to keypoints with a trained checkpoint.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "data/sample.hpp"
#include "trainer/checkpoint.hpp"
#include "trainer/pose_error.hpp"

namespace ringpose::analysis {

struct PredictorOptions {
  int batch = 8;            ///< every forward has exactly this many rows; a smaller last batch is padded
  int device_ordinal = -1;  ///< CUDA device, -1 for CPU
  bool tf32 = true;         ///< PyTorch's default for convolutions on the GPU
};

class Predictor {
 public:
  /// Throws data::FormatError when the checkpoint does not fit its own net_type and skeleton.
  Predictor(const trainer::Checkpoint& checkpoint, PredictorOptions options);
  ~Predictor();
  /// 1..batch images of equal size; returns images.size()*K predictions in input pixels.
  [[nodiscard]] std::vector<trainer::Prediction> predict(std::span<const data::Image> images);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ringpose::analysis
