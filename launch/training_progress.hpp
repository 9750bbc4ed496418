// What rank 0 shows while training: one live line on a terminal, plain lines elsewhere.
#pragma once
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "mpi/communicator.hpp"
#include "mpi/gpu_usage.hpp"
#include "trainer/training_loop.hpp"

namespace ringpose::launch {

/// For example "3 min 05 s".
[[nodiscard]] std::string duration_text(double seconds);

/// One line of progress; `gpu_percent` holds a value per rank, negative where there is none.
[[nodiscard]] std::string progress_line(const trainer::Progress& progress, const std::vector<double>& gpu_percent);

/// Made on every rank, since the GPUs' use is gathered from all.
class TrainingProgress {
 public:
  /// `gpu`: this rank's GPU, -1 for the CPU.
  TrainingProgress(const mpi::Communicator& world, int gpu);
  [[nodiscard]] trainer::TrainingEvents events();
  /// Leaves the terminal with a clean line. Rank 0.
  void finish() { clear_line(); }
  /// Mean use of each rank's GPU over the run; empty without GPUs. Collective.
  [[nodiscard]] std::vector<double> mean_gpu_percent() const;

 private:
  void on_progress(const trainer::Progress& progress);
  void on_epoch(const trainer::EpochMetrics& metrics);
  void show_line(const std::string& line);
  void clear_line();

  const mpi::Communicator& world_;
  std::optional<mpi::GpuMonitor> monitor_;
  bool any_gpu_ = false;
  bool terminal_ = false;
  bool live_line_ = false;
  double gpu_percent_sum_ = 0;
  int gpu_samples_ = 0;
  std::optional<std::chrono::steady_clock::time_point> last_plain_line_;
};

}  // namespace ringpose::launch
