// One update: forward, targets, loss, backward, sum over ranks, AdamW. Knows nothing of files or epochs.
#pragma once
#include <torch/types.h>

#include <cstdint>

#include "data/sample.hpp"
#include "mpi/backend.hpp"
#include "trainer/gradient_reducer.hpp"
#include "trainer/losses.hpp"
#include "trainer/optimizer.hpp"
#include "trainer/pose_model.hpp"
#include "trainer/targets.hpp"
#include "trainer/training_options.hpp"

namespace ringpose::trainer {

class TrainStep {
 public:
  /// The model lies on `device` already. Model and backend must outlive the step; `backend` nullptr means a single
  /// rank.
  TrainStep(PoseModel& model, mpi::Backend* backend, torch::Device device, const TrainingOptions& options);
  /// Leaves the gradient of the global batch in every parameter's grad(), equal on all ranks. Collective.
  /// Returns this rank's share of the losses, still on the device.
  [[nodiscard]] Losses compute_gradients(const data::Batch& batch);
  void update(double learning_rate) { optimizer_.step(learning_rate); }

  [[nodiscard]] AdamW& optimizer() { return optimizer_; }
  [[nodiscard]] std::uint64_t plan_hash() const { return reducer_.plan_hash(); }

 private:
  PoseModel& model_;
  torch::Device device_;
  TargetOptions targets_;
  LossOptions loss_;
  GradientReducer reducer_;
  AdamW optimizer_;
};

}  // namespace ringpose::trainer
