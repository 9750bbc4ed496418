// Errors of a trained network on the labelled images of a packed file.
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "data/packed_reader.hpp"
#include "mpi/communicator.hpp"
#include "trainer/checkpoint.hpp"
#include "trainer/pose_error.hpp"

namespace ringpose::launch {

/// A labelled point that was missed by far.
struct FarPoint {
  std::string image;
  std::string bodypart;
  double error_px = 0;
  double likelihood = 0;
};

/// One split's rows, labels, predictions (rows x K) and errors.
struct SplitEvaluation {
  std::string name;  ///< "train" or "test"
  std::vector<std::int64_t> rows;
  std::vector<data::Keypoint> truth;
  std::vector<trainer::Prediction> predictions;
  trainer::ErrorReport errors;
  trainer::ErrorReport baseline;  ///< of guessing each part's mean training position
  std::vector<FarPoint> far_points;
};

struct EvaluationOptions {
  double pcutoff = 0.6;
  double far_px = 20;
  int device_ordinal = -1;  ///< CUDA device of this rank, -1 for the CPU
};

/// Collective: rows are split over ranks, each image is a forward of its own, so that no number depends on the number
/// of ranks. The result is complete on every rank. Throws data::FormatError, data::IoError.
[[nodiscard]] SplitEvaluation evaluate_split(const std::string& name, const std::vector<std::int64_t>& rows,
                                             const trainer::Checkpoint& checkpoint, const data::PackedReader& reader,
                                             const mpi::Communicator& world, const EvaluationOptions& options);

/// First line of points_csv().
inline constexpr const char* kPointsHeader = "split,image,bodypart,label_x_px,label_y_px,x_px,y_px,likelihood,error_px";

/// Stable names; NaN is null.
[[nodiscard]] nlohmann::json split_json(const SplitEvaluation& evaluation, const std::vector<std::string>& bodyparts);
/// A table for people.
[[nodiscard]] std::string split_text(const SplitEvaluation& evaluation, const std::vector<std::string>& bodyparts);
/// One line per labelled point: split, image, bodypart, label, prediction, likelihood, error.
[[nodiscard]] std::string points_csv(const std::vector<SplitEvaluation>& evaluations, const data::PackedReader& reader);

}  // namespace ringpose::launch
