#include "trainer/schedule.hpp"

#include <fmt/format.h>

#include "data/error.hpp"

namespace ringpose::trainer {

void ScheduleOptions::validate() const {
  if (!(learning_rate > 0))
    throw data::ConfigError(fmt::format("optimizer.learning_rate is {}, expected a number above 0.", learning_rate));
  if (milestones.size() != rates.size())
    throw data::ConfigError(
        fmt::format("optimizer.milestones has {} entries and optimizer.rates {}, expected as many of both.",
                    milestones.size(), rates.size()));
  for (std::size_t i = 0; i < milestones.size(); ++i) {
    if (milestones[i] < 0 || (i > 0 && milestones[i] <= milestones[i - 1]))
      throw data::ConfigError(
          fmt::format("optimizer.milestones[{}] is {}, expected ascending epochs.", i, milestones[i]));
    if (!(rates[i] > 0))
      throw data::ConfigError(fmt::format("optimizer.rates[{}] is {}, expected a number above 0.", i, rates[i]));
  }
}

double learning_rate_at(const ScheduleOptions& options, std::int64_t epoch) {
  double rate = options.learning_rate;
  for (std::size_t i = 0; i < options.milestones.size(); ++i)
    if (epoch >= options.milestones[i]) rate = options.rates[i];
  return rate;
}

}  // namespace ringpose::trainer
