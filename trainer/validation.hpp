// Predictions for labelled rows, the rows split over ranks. Results do not depend on the number of ranks: every image
// is a forward of its own, as in DeepLabCut's validation loader (batch size 1).
#pragma once
#include <torch/types.h>

#include <cstdint>
#include <span>
#include <vector>

#include "data/packed_reader.hpp"
#include "mpi/communicator.hpp"
#include "trainer/decoder.hpp"
#include "trainer/pose_error.hpp"
#include "trainer/pose_model.hpp"

namespace ringpose::trainer {

/// Collective: joins the ranks' predictions in rank order on every rank.
[[nodiscard]] std::vector<Prediction> gather_predictions(const mpi::Communicator& world,
                                                         std::span<const Prediction> local);

/// Keypoints of the rows, in row order: rows x K.
[[nodiscard]] std::vector<data::Keypoint> keypoints_of(const data::PackedReader& reader,
                                                       std::span<const std::int64_t> rows);

struct ValidationOptions {
  torch::Device device = torch::kCPU;
  DecodeOptions decode;
  double pcutoff = 0.6;
};

/// Collective; the report is the same on all ranks. Leaves the model in training mode.
[[nodiscard]] ErrorReport validate(PoseModel& model, const data::PackedReader& reader,
                                   std::span<const std::int64_t> rows, const mpi::Communicator& world,
                                   const ValidationOptions& options);

}  // namespace ringpose::trainer
