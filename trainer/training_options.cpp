#include "trainer/training_options.hpp"

#include <fmt/format.h>

#include "data/error.hpp"
#include "trainer/pose_model.hpp"

namespace ringpose::trainer {

namespace {

void require(bool good, const char* field, double value, const char* expected) {
  if (!good) throw data::ConfigError(fmt::format("{} is {}, expected {}.", field, value, expected));
}

}  // namespace

void TrainingOptions::validate() const {
  PoseModelOptions{net_type, 1}.validate();
  const auto at_least_1 = [](const char* field, std::int64_t value) {
    require(value >= 1, field, static_cast<double>(value), "1 or more");
  };
  constexpr double kMostEpochs = 1e6;
  require(epochs >= 1 && epochs <= kMostEpochs, "training.epochs", static_cast<double>(epochs),
          "a whole number from 1 to 1000000");
  at_least_1("training.global_batch", global_batch);
  at_least_1("training.eval_interval", eval_interval);
  at_least_1("training.save_epochs", save_epochs);
  at_least_1("training.max_snapshots", max_snapshots);
  at_least_1("loader.prefetch_batches", read_ahead.prefetch_batches);
  require(read_ahead.threads >= 0, "loader.threads", read_ahead.threads, "0 (automatic) or more");
  require(read_ahead.cache_limit_mib >= 0, "loader.cache_limit_mib", static_cast<double>(read_ahead.cache_limit_mib),
          "0 or more");
  require(eval_pcutoff >= 0 && eval_pcutoff <= 1, "training.eval_pcutoff", eval_pcutoff, "a number from 0 to 1");
  require(targets.pos_dist_thresh_px > 0, "targets.pos_dist_thresh_px", targets.pos_dist_thresh_px, "a number above 0");
  require(targets.locref_std > 0, "targets.locref_std", targets.locref_std, "a number above 0");
  require(targets.background_weight >= 0, "targets.background_weight", targets.background_weight, "0 or more");
  require(loss.heatmap_weight >= 0, "loss.heatmap_weight", loss.heatmap_weight, "0 or more");
  require(loss.locref_weight >= 0, "loss.locref_weight", loss.locref_weight, "0 or more");
  schedule.validate();
  adamw.validate();
  augmentation.validate();
  reducer.validate();
}

}  // namespace ringpose::trainer
