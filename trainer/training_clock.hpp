// Time and images of a training run, evaluation and saving left out.
#pragma once
#include <chrono>
#include <cstdint>

namespace ringpose::trainer {

using SteadyClock = std::chrono::steady_clock;

[[nodiscard]] inline double seconds_since(SteadyClock::time_point start) {
  return std::chrono::duration<double>(SteadyClock::now() - start).count();
}

struct TrainingClock {
  /// Totals of this rank at one moment.
  struct Mark {
    double train_s = 0;
    double wait_s = 0;      ///< of train_s, waiting for data
    std::int64_t rows = 0;  ///< images of all ranks
  };
  Mark now, at_report, at_epoch;
  std::int64_t first_update = 0;
  std::int64_t steps_until_report = 1;
  SteadyClock::time_point start = SteadyClock::now();

  [[nodiscard]] static double images_per_s(const Mark& from, const Mark& to) {
    return to.train_s > from.train_s ? static_cast<double>(to.rows - from.rows) / (to.train_s - from.train_s) : 0;
  }
  [[nodiscard]] static double wait_share(const Mark& from, const Mark& to) {
    return to.train_s > from.train_s ? (to.wait_s - from.wait_s) / (to.train_s - from.train_s) : 0;
  }
};

}  // namespace ringpose::trainer
