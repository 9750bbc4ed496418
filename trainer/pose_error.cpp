#include "trainer/pose_error.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

namespace ringpose::trainer {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

struct Distance {
  double error_px = 0;
  double likelihood = 0;
};

double mean(const std::vector<double>& values) {
  return values.empty() ? kNone
                        : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// `values` is reordered.
double median(std::vector<double>& values) {
  if (values.empty()) return kNone;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

ErrorSummary summarize(const std::vector<Distance>& distances, double pcutoff) {
  std::vector<double> all, sure;
  for (const Distance& distance : distances) {
    all.push_back(distance.error_px);
    if (distance.likelihood >= pcutoff) sure.push_back(distance.error_px);
  }
  ErrorSummary summary;
  summary.labelled = static_cast<std::int64_t>(all.size());
  summary.above_pcutoff = static_cast<std::int64_t>(sure.size());
  summary.mean_px = mean(all);
  summary.mean_pcutoff_px = mean(sure);
  summary.max_px = all.empty() ? kNone : *std::max_element(all.begin(), all.end());
  summary.median_px = median(all);
  return summary;
}

}  // namespace

double error_px(const data::Keypoint& truth, const Prediction& prediction) {
  return std::hypot(prediction.x_px - truth.x_px, prediction.y_px - truth.y_px);
}

ErrorReport pose_errors(std::span<const data::Keypoint> truth, std::span<const Prediction> predictions, int keypoints,
                        double pcutoff) {
  assert(keypoints >= 1 && truth.size() == predictions.size() &&
         truth.size() % static_cast<std::size_t>(keypoints) == 0);
  std::vector<Distance> all;
  std::vector<std::vector<Distance>> per_bodypart(static_cast<std::size_t>(keypoints));
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (!truth[i].labelled()) continue;
    const double error = error_px(truth[i], predictions[i]);
    const Distance distance{std::isnan(error) ? std::numeric_limits<double>::infinity() : error,
                            predictions[i].likelihood};
    all.push_back(distance);
    per_bodypart[i % static_cast<std::size_t>(keypoints)].push_back(distance);
  }
  ErrorReport report;
  report.all = summarize(all, pcutoff);
  for (const auto& distances : per_bodypart) report.per_bodypart.push_back(summarize(distances, pcutoff));
  return report;
}

std::vector<Prediction> mean_position_guess(std::span<const data::Keypoint> training_truth, int keypoints,
                                            std::size_t frames) {
  const auto parts = static_cast<std::size_t>(keypoints);
  std::vector<Prediction> guess(parts, Prediction{0, 0, 1});
  std::vector<double> labels(parts, 0);
  for (std::size_t i = 0; i < training_truth.size(); ++i) {
    if (!training_truth[i].labelled()) continue;
    guess[i % parts].x_px += training_truth[i].x_px;
    guess[i % parts].y_px += training_truth[i].y_px;
    labels[i % parts] += 1;
  }
  for (std::size_t k = 0; k < parts; ++k) {
    guess[k].x_px = labels[k] > 0 ? guess[k].x_px / labels[k] : kNone;
    guess[k].y_px = labels[k] > 0 ? guess[k].y_px / labels[k] : kNone;
  }
  std::vector<Prediction> all;
  for (std::size_t frame = 0; frame < frames; ++frame) all.insert(all.end(), guess.begin(), guess.end());
  return all;
}

}  // namespace ringpose::trainer
