#include "launch/training_progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "launch/terminal.hpp"
#include "mpi/collectives.hpp"
#include "mpi/device.hpp"

namespace ringpose::launch {

namespace {

constexpr std::chrono::seconds kPlainLineInterval{10};

std::optional<mpi::GpuMonitor> open_monitor(int gpu) {
  if (gpu < 0) return std::nullopt;
  return mpi::GpuMonitor::open(mpi::device_pci_bus_id(gpu));
}

}  // namespace

std::string duration_text(double seconds) {
  const auto whole = static_cast<long long>(std::max(0.0, std::round(seconds)));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

std::string progress_line(const trainer::Progress& progress, const std::vector<double>& gpu_percent) {
  std::string line = fmt::format("epoch {}/{} step {}/{}  loss {:.6f}  {:.1f} images/s  data wait {:.0f} %",
                                 progress.epoch, progress.epochs, progress.step, progress.steps_per_epoch,
                                 progress.loss, progress.images_per_s, 100 * progress.data_wait_share);
  if (std::any_of(gpu_percent.begin(), gpu_percent.end(), [](double value) { return value >= 0; })) {
    line += "  GPU";
    for (std::size_t rank = 0; rank < gpu_percent.size(); ++rank)
      line += (rank == 0 ? " " : "/") +
              (gpu_percent[rank] < 0 ? std::string("?") : fmt::format("{:.0f}", gpu_percent[rank]));
    line += " %";
  }
  return line + "  " + duration_text(progress.remaining_s) + " left";
}

TrainingProgress::TrainingProgress(const mpi::Communicator& world, int gpu)
    : world_(world), monitor_(open_monitor(gpu)), terminal_(output_is_terminal()) {
  const std::vector<double> has_gpu = mpi::all_gather(world_, monitor_ ? 1 : 0);
  any_gpu_ = std::any_of(has_gpu.begin(), has_gpu.end(), [](double value) { return value > 0; });
}

trainer::TrainingEvents TrainingProgress::events() {
  trainer::TrainingEvents events;
  events.progress = [this](const trainer::Progress& progress) { on_progress(progress); };
  events.epoch_done = [this](const trainer::EpochMetrics& metrics) { on_epoch(metrics); };
  return events;
}

void TrainingProgress::on_progress(const trainer::Progress& progress) {
  std::vector<double> gpu_percent;
  if (any_gpu_) {
    const auto usage = monitor_ ? monitor_->sample() : std::nullopt;
    if (usage) {
      gpu_percent_sum_ += usage->utilization_percent;
      ++gpu_samples_;
    }
    gpu_percent = mpi::all_gather(world_, usage ? usage->utilization_percent : -1);
  }
  if (world_.rank() == 0) show_line(progress_line(progress, gpu_percent));
}

void TrainingProgress::on_epoch(const trainer::EpochMetrics& metrics) {
  if (world_.rank() != 0 || std::isnan(metrics.test_rmse_px)) return;
  clear_line();
  const std::string above = std::isnan(metrics.test_rmse_pcutoff_px)
                                ? std::string("no point above pcutoff")
                                : fmt::format("{:.2f} px above pcutoff", metrics.test_rmse_pcutoff_px);
  fmt::print("epoch {}: train loss {:.6f}, test error {:.2f} px, {}\n", metrics.epoch, metrics.loss_total,
             metrics.test_rmse_px, above);
  std::fflush(stdout);
}

void TrainingProgress::show_line(const std::string& line) {
  if (terminal_) {
    fmt::print("\r\x1b[K{}", line);
    live_line_ = true;
  } else {
    const auto now = std::chrono::steady_clock::now();
    if (last_plain_line_ && now - *last_plain_line_ < kPlainLineInterval) return;
    last_plain_line_ = now;
    fmt::print("{}\n", line);
  }
  std::fflush(stdout);
}

void TrainingProgress::clear_line() {
  if (live_line_) fmt::print("\r\x1b[K");
  live_line_ = false;
}

std::vector<double> TrainingProgress::mean_gpu_percent() const {
  if (!any_gpu_) return {};
  return mpi::all_gather(world_, gpu_samples_ > 0 ? gpu_percent_sum_ / gpu_samples_ : -1);
}

}  // namespace ringpose::launch
