// What a training run is made of. Defaults are DeepLabCut's for resnet_50.
#pragma once
#include <cstdint>
#include <string>

#include "data/augmentation.hpp"
#include "trainer/device.hpp"
#include "trainer/gradient_reducer.hpp"
#include "trainer/losses.hpp"
#include "trainer/optimizer.hpp"
#include "trainer/schedule.hpp"
#include "trainer/targets.hpp"

namespace ringpose::trainer {

/// How batches are read ahead. Speed and memory only: no value changes a result.
struct ReadAheadOptions {
  int threads = 0;  ///< decode and augmentation threads of a rank; 0: all its cores beside a GPU, 1 on the CPU
  int prefetch_batches = 4;
  bool cache_decoded = true;            ///< keep decoded images in memory
  std::int64_t cache_limit_mib = 4096;  ///< of a rank; images beyond it are decoded again each epoch
};

struct TrainingOptions {
  std::string net_type = "resnet_50";
  std::int64_t epochs = 200;
  std::int64_t global_batch = 8;    ///< images of one update, over all ranks
  std::uint64_t seed = 42;          ///< initial weights, order of samples, augmentation
  std::int64_t eval_interval = 10;  ///< epochs between evaluations of the test rows; the last epoch is always evaluated
  std::int64_t save_epochs = 25;    ///< epochs between snapshots; the last epoch is always saved
  int max_snapshots = 5;            ///< regular snapshots kept; the best one is kept beside them
  double eval_pcutoff = 0.6;        ///< for metrics/test.rmse_pcutoff, as DeepLabCut uses while it trains
  Precision precision = Precision::tf32;
  bool deterministic = true;
  ScheduleOptions schedule;
  AdamWOptions adamw;
  LossOptions loss;
  TargetOptions targets;
  data::AugmentationOptions augmentation;
  ReducerOptions reducer;
  ReadAheadOptions read_ahead;
  /// Throws data::ConfigError naming the field.
  void validate() const;
};

}  // namespace ringpose::trainer
