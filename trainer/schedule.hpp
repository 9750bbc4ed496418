// Learning rate as a pure function of the epoch. Source: DeepLabCut runners/schedulers.py (LRListScheduler).
#pragma once
#include <cstdint>
#include <vector>

namespace ringpose::trainer {

/// Epoch milestones and the rates that hold from them on. Defaults: DeepLabCut's for resnet_50.
struct ScheduleOptions {
  double learning_rate = 5e-4;
  std::vector<std::int64_t> milestones{90, 120};
  std::vector<double> rates{1e-4, 1e-5};
  /// Throws data::ConfigError: lengths differ, not ascending, not positive.
  void validate() const;
};

/// Rate during 0-based `epoch`: `milestones[i]` finished epochs switch to `rates[i]`, so milestone 90 takes effect in
/// the 91st epoch.
[[nodiscard]] double learning_rate_at(const ScheduleOptions& options, std::int64_t epoch);

}  // namespace ringpose::trainer
