// Losses gathered without making the host wait for the GPU, and added up over ranks when they are looked at.
#pragma once
#include <torch/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "mpi/communicator.hpp"
#include "trainer/losses.hpp"

namespace ringpose::trainer {

/// Sums over steps.
struct LossSums {
  double heatmap = 0;
  double locref = 0;
  double total = 0;
};

/// Adds up this rank's share of the losses on the device.
class LossMeter {
 public:
  explicit LossMeter(torch::Device device);
  /// Queues the addition; does not wait for the device. `step` is remembered where the total is not finite.
  void add(const Losses& losses, std::int64_t step);
  /// Waits for the device. This rank's share.
  [[nodiscard]] LossSums sums() const;
  /// Waits for the device. First step since reset() whose total was not finite on this rank.
  [[nodiscard]] std::optional<std::int64_t> first_bad_step() const;
  void reset(const LossSums& start = {});

 private:
  torch::Tensor sums_;      ///< [3] float64
  torch::Tensor bad_step_;  ///< int64 scalar
};

/// Collective: sums over ranks.
[[nodiscard]] LossSums sum_over_ranks(const mpi::Communicator& world, const LossSums& local);
/// Collective: every rank's sums under names such as "rank0.total", for checkpoints.
[[nodiscard]] std::map<std::string, double> gather_sums(const mpi::Communicator& world, const LossSums& local);
/// What this rank goes on with: its own sums where the number of ranks is the same, else all of them on rank 0.
[[nodiscard]] LossSums sums_of_rank(const std::map<std::string, double>& gathered, int saved_ranks,
                                    const mpi::Communicator& world);
/// Collective: the smallest over the ranks that have one.
[[nodiscard]] std::optional<std::int64_t> min_over_ranks(const mpi::Communicator& world,
                                                         std::optional<std::int64_t> local);

}  // namespace ringpose::trainer
