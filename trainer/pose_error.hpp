// DeepLabCut's evaluation numbers: its "RMSE" is the mean Euclidean distance over labelled keypoints. Pure functions.
// Source: DeepLabCut core/metrics (single-animal pairing). Frames with one labelled keypoint count.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/sample.hpp"

namespace ringpose::trainer {

/// One predicted keypoint.
struct Prediction {
  double x_px = 0;
  double y_px = 0;
  double likelihood = 0;
};

/// Over labelled keypoints; NaN where none counted.
struct ErrorSummary {
  double mean_px = 0;          ///< DeepLabCut's rmse
  double mean_pcutoff_px = 0;  ///< DeepLabCut's rmse_pcutoff: predictions with likelihood >= pcutoff
  double median_px = 0;
  double max_px = 0;
  std::int64_t labelled = 0;
  std::int64_t above_pcutoff = 0;
};

struct ErrorReport {
  ErrorSummary all;
  std::vector<ErrorSummary> per_bodypart;
};

/// Euclidean distance in px.
[[nodiscard]] double error_px(const data::Keypoint& truth, const Prediction& prediction);

/// truth and predictions: frames x K, row-major, equal sizes. K >= 1.
/// A prediction that is not a number counts as infinitely far off.
[[nodiscard]] ErrorReport pose_errors(std::span<const data::Keypoint> truth, std::span<const Prediction> predictions,
                                      int keypoints, double pcutoff);

/// The guess a network has to beat: each bodypart's mean position over its labels in `training_truth`, likelihood 1,
/// repeated for `frames` frames. A part that is never labelled there is guessed at NaN.
[[nodiscard]] std::vector<Prediction> mean_position_guess(std::span<const data::Keypoint> training_truth, int keypoints,
                                                          std::size_t frames);

}  // namespace ringpose::trainer
