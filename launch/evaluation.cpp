#include "launch/evaluation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>

#include "analysis/predictor.hpp"
#include "data/sampler.hpp"
#include "launch/json_report.hpp"
#include "trainer/validation.hpp"

namespace ringpose::launch {

namespace {

std::vector<trainer::Prediction> predict_share(const std::vector<std::int64_t>& rows,
                                               const trainer::Checkpoint& checkpoint, const data::PackedReader& reader,
                                               const mpi::Communicator& world, int device_ordinal) {
  analysis::Predictor predictor(checkpoint, {.batch = 1, .device_ordinal = device_ordinal});
  const auto mine = data::slice_of_batch(static_cast<std::int64_t>(rows.size()), world.rank(), world.size());
  std::vector<trainer::Prediction> predictions;
  for (std::int64_t i = mine.first; i < mine.first + mine.count; ++i) {
    const data::Sample sample = reader.read_sample(rows[static_cast<std::size_t>(i)]);
    const auto of_image = predictor.predict(std::span(&sample.image, 1));
    predictions.insert(predictions.end(), of_image.begin(), of_image.end());
  }
  return predictions;
}

std::vector<FarPoint> far_points(const SplitEvaluation& evaluation, const data::PackedReader& reader, double far_px) {
  const std::vector<std::string>& bodyparts = reader.project().skeleton.bodyparts;
  std::vector<FarPoint> points;
  for (std::size_t i = 0; i < evaluation.truth.size(); ++i) {
    if (!evaluation.truth[i].labelled()) continue;
    const double error = trainer::error_px(evaluation.truth[i], evaluation.predictions[i]);
    if (error <= far_px) continue;
    points.push_back({reader.image_name(evaluation.rows[i / bodyparts.size()]), bodyparts[i % bodyparts.size()], error,
                      evaluation.predictions[i].likelihood});
  }
  return points;
}

nlohmann::json summary_json(const trainer::ErrorSummary& summary) {
  return {{"rmse_px", json_number(summary.mean_px)},
          {"rmse_pcutoff_px", json_number(summary.mean_pcutoff_px)},
          {"median_px", json_number(summary.median_px)},
          {"max_px", json_number(summary.max_px)},
          {"labelled", summary.labelled},
          {"above_pcutoff", summary.above_pcutoff}};
}

std::string cell(double value) {
  return std::isnan(value) ? std::string("-") : fmt::format("{:.2f}", value);
}

std::string table_row(const std::string& name, const trainer::ErrorSummary& errors,
                      const trainer::ErrorSummary& baseline) {
  return fmt::format("  {:<20} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>11}\n", name, cell(errors.mean_px),
                     cell(errors.mean_pcutoff_px), cell(errors.median_px), cell(errors.max_px), errors.labelled,
                     errors.above_pcutoff, cell(baseline.mean_px));
}

}  // namespace

SplitEvaluation evaluate_split(const std::string& name, const std::vector<std::int64_t>& rows,
                               const trainer::Checkpoint& checkpoint, const data::PackedReader& reader,
                               const mpi::Communicator& world, const EvaluationOptions& options) {
  const int keypoints = reader.project().skeleton.size();
  SplitEvaluation evaluation;
  evaluation.name = name;
  evaluation.rows = rows;
  evaluation.truth = trainer::keypoints_of(reader, rows);
  evaluation.predictions =
      trainer::gather_predictions(world, predict_share(rows, checkpoint, reader, world, options.device_ordinal));
  evaluation.errors = trainer::pose_errors(evaluation.truth, evaluation.predictions, keypoints, options.pcutoff);
  const auto guess =
      trainer::mean_position_guess(trainer::keypoints_of(reader, reader.split().train), keypoints, rows.size());
  evaluation.baseline = trainer::pose_errors(evaluation.truth, guess, keypoints, options.pcutoff);
  evaluation.far_points = far_points(evaluation, reader, options.far_px);
  return evaluation;
}

nlohmann::json split_json(const SplitEvaluation& evaluation, const std::vector<std::string>& bodyparts) {
  nlohmann::json report = summary_json(evaluation.errors.all);
  report["images"] = evaluation.rows.size();
  report["baseline_rmse_px"] = json_number(evaluation.baseline.all.mean_px);
  for (std::size_t k = 0; k < bodyparts.size(); ++k) {
    report["bodyparts"][bodyparts[k]] = summary_json(evaluation.errors.per_bodypart[k]);
    report["bodyparts"][bodyparts[k]]["baseline_rmse_px"] = json_number(evaluation.baseline.per_bodypart[k].mean_px);
  }
  report["far_points"] = nlohmann::json::array();
  for (const FarPoint& point : evaluation.far_points)
    report["far_points"].push_back({{"image", point.image},
                                    {"bodypart", point.bodypart},
                                    {"error_px", point.error_px},
                                    {"likelihood", point.likelihood}});
  return report;
}

std::string split_text(const SplitEvaluation& evaluation, const std::vector<std::string>& bodyparts) {
  std::string text = fmt::format("{}: {} images, errors in px\n", evaluation.name, evaluation.rows.size());
  text += fmt::format("  {:<20} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>11}\n", "", "RMSE", "pcutoff", "median", "max",
                      "labelled", "counted", "guess RMSE");
  text += table_row("all", evaluation.errors.all, evaluation.baseline.all);
  for (std::size_t k = 0; k < bodyparts.size(); ++k)
    text += table_row(bodyparts[k], evaluation.errors.per_bodypart[k], evaluation.baseline.per_bodypart[k]);
  constexpr std::size_t kMostListed = 20;
  auto far = evaluation.far_points;
  std::ranges::stable_sort(far, std::greater(), &FarPoint::error_px);
  for (const FarPoint& point : std::span(far).first(std::min(kMostListed, far.size())))
    text += fmt::format("  far off: {} {}: {:.1f} px, likelihood {:.2f}\n", point.image, point.bodypart, point.error_px,
                        point.likelihood);
  if (far.size() > kMostListed)
    text += fmt::format("  and {} more; --json and --csv have them all\n", far.size() - kMostListed);
  return text;
}

std::string points_csv(const std::vector<SplitEvaluation>& evaluations, const data::PackedReader& reader) {
  const std::vector<std::string>& bodyparts = reader.project().skeleton.bodyparts;
  std::string text = std::string(kPointsHeader).append("\n");
  for (const SplitEvaluation& evaluation : evaluations) {
    for (std::size_t i = 0; i < evaluation.truth.size(); ++i) {
      const data::Keypoint& label = evaluation.truth[i];
      const trainer::Prediction& found = evaluation.predictions[i];
      if (!label.labelled()) continue;
      text += fmt::format("{},{},{},{},{},{},{},{},{}\n", evaluation.name,
                          reader.image_name(evaluation.rows[i / bodyparts.size()]), bodyparts[i % bodyparts.size()],
                          label.x_px, label.y_px, found.x_px, found.y_px, found.likelihood,
                          trainer::error_px(label, found));
    }
  }
  return text;
}

}  // namespace ringpose::launch
