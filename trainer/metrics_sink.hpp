// learning_stats.csv: one row per epoch, DeepLabCut's column names first. Source: DeepLabCut runners/logger.py
// (CSVLogger).
#pragma once
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <string>

namespace ringpose::trainer {

inline constexpr const char* kMetricsFile = "learning_stats.csv";

/// One epoch's numbers; NaN where there is none (an epoch without evaluation).
struct EpochMetrics {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  std::int64_t epoch = 0;  ///< finished epochs, from 1: DeepLabCut's `step`
  double loss_heatmap = kNone;
  double loss_locref = kNone;
  double loss_total = kNone;
  double test_rmse_px = kNone;
  double test_rmse_pcutoff_px = kNone;
  double learning_rate = kNone;
  double images_per_s = kNone;
};

/// Rewrites its file atomically with every row, as DeepLabCut does; an epoch written twice replaces its row.
class MetricsCsv {
 public:
  /// Rows already in the file are kept up to and including `finished_epochs`: what a stopped run wrote beyond the
  /// snapshot that is resumed from will be written again. Throws data::FormatError when the file is not of this form.
  MetricsCsv(std::filesystem::path path, std::int64_t finished_epochs);
  /// Throws data::IoError.
  void write(const EpochMetrics& metrics);

 private:
  std::filesystem::path path_;
  std::map<std::int64_t, std::string> rows_;
};

}  // namespace ringpose::trainer
