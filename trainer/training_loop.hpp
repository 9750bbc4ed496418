// The training run: epochs of updates, evaluation, snapshots, metrics. Source of the procedure: DeepLabCut
// runners/train.py (TrainingRunner.fit), runners/snapshots.py. Departure: the best snapshot is the one with the lowest
// test RMSE. DeepLabCut takes the highest test.mAP, which leaves out frames with fewer than two labelled points.
#pragma once
#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "data/loader.hpp"
#include "data/packed_reader.hpp"
#include "data/sampler.hpp"
#include "mpi/backend.hpp"
#include "mpi/communicator.hpp"
#include "trainer/checkpoint.hpp"
#include "trainer/metrics.hpp"
#include "trainer/metrics_sink.hpp"
#include "trainer/pose_error.hpp"
#include "trainer/train_step.hpp"
#include "trainer/training_clock.hpp"
#include "trainer/training_options.hpp"

namespace ringpose::trainer {

/// Training cannot go on: the loss or the weights are no longer finite.
class TrainingError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Where and on what to train. What is referred to must outlive the loop.
struct TrainingSite {
  const mpi::Communicator& world;
  mpi::Backend* backend = nullptr;  ///< nullptr for a single rank
  torch::Device device = torch::kCPU;
  int cpu_threads = 1;  ///< of this rank; stored in checkpoints
  const data::PackedReader& reader;
  std::filesystem::path run_folder;  ///< exists; rank 0 alone writes there
};

/// How to begin and when to stop.
struct TrainingSpan {
  std::string config_yaml;                              ///< stored in checkpoints
  std::optional<std::filesystem::path> weights;         ///< initial weights, read on rank 0
  const Checkpoint* resume = nullptr;                   ///< counters on all ranks, tensors needed on rank 0 only
  std::optional<std::int64_t> stop_after_updates = {};  ///< save a snapshot and stop once so many updates are made
  std::optional<std::int64_t> stop_after_epochs = {};   ///< the same after finished epochs
};

/// Said now and then during an epoch, on every rank at the same step.
struct Progress {
  std::int64_t epoch = 0;  ///< running epoch, from 1
  std::int64_t epochs = 0;
  std::int64_t step = 0;  ///< finished steps of the epoch
  std::int64_t steps_per_epoch = 0;
  double loss = 0;             ///< mean total loss of the epoch so far
  double images_per_s = 0;     ///< over all ranks, since the last report
  double data_wait_share = 0;  ///< part of the time spent waiting for data, mean over ranks
  double remaining_s = 0;
};

/// Called on every rank, so that a listener may itself communicate; each may be empty.
struct TrainingEvents {
  std::function<void(const Progress&)> progress;
  std::function<void(const EpochMetrics&)> epoch_done;
  std::function<void(const std::filesystem::path&)> snapshot_saved;
};

/// The same on all ranks.
struct TrainingResult {
  std::int64_t epochs = 0;   ///< finished, earlier runs included
  std::int64_t updates = 0;  ///< made, earlier runs included
  bool finished = false;     ///< false when stopped before the last epoch
  EpochMetrics last;
  std::optional<ErrorReport> test;  ///< at the last epoch, where there are test rows
  double best_rmse_px = 0;          ///< NaN: never evaluated
  std::int64_t best_epoch = -1;
  double seconds = 0;
  double images_per_s = 0;
  double data_wait_share = 0;
  std::filesystem::path last_snapshot;
};

class TrainingLoop {
 public:
  /// Collective. Builds the model, loads or draws weights, and makes all ranks equal. Throws data::ConfigError (more
  /// ranks than images in a batch or in the training set), data::FormatError, data::IoError, DesyncError.
  TrainingLoop(const TrainingSite& site, const TrainingOptions& options, const TrainingSpan& span);
  /// Collective, once. Throws TrainingError, data::IoError (on rank 0 only, when a file cannot be written), MpiError.
  [[nodiscard]] TrainingResult run(const TrainingEvents& events);

 private:
  void initialize_weights();
  void restore();
  void train_epoch(const TrainingEvents& events);
  void report(const TrainingEvents& events);
  [[nodiscard]] EpochMetrics finish_epoch(const TrainingEvents& events);
  void evaluate(EpochMetrics& metrics, const TrainingEvents& events);
  [[nodiscard]] LossSums checked_sums() const;
  void save(bool best, const TrainingEvents& events);
  [[nodiscard]] Checkpoint snapshot(bool best);
  [[nodiscard]] bool stop_requested() const;

  TrainingSite site_;
  TrainingOptions options_;
  TrainingSpan span_;
  data::Sampler sampler_;
  std::shared_ptr<PoseModel> model_;
  std::unique_ptr<TrainStep> step_;
  std::unique_ptr<data::Loader> loader_;
  TrainingClock clock_;
  LossMeter losses_;
  std::optional<MetricsCsv> csv_;
  std::int64_t epoch_ = 0;  ///< of the next step
  std::int64_t step_in_epoch_ = 0;
  std::int64_t updates_ = 0;
  std::int64_t saved_updates_ = 0;  ///< at the newest regular snapshot
  double best_rmse_px_;
  std::int64_t best_epoch_ = -1;
  TrainingResult result_;
};

}  // namespace ringpose::trainer
