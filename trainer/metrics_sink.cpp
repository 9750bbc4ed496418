#include "trainer/metrics_sink.hpp"

#include <fmt/format.h>

#include <cmath>
#include <fstream>

#include "data/atomic_file.hpp"
#include "data/error.hpp"

namespace ringpose::trainer {

namespace {

constexpr const char* kHeader =
    "step,losses/train.bodypart_heatmap,losses/train.bodypart_locref,losses/train.total_loss,metrics/test.rmse,"
    "metrics/test.rmse_pcutoff,learning_rate,images_per_s";

std::string cell(double value) {
  return std::isnan(value) ? std::string() : fmt::format("{}", value);
}

}  // namespace

MetricsCsv::MetricsCsv(std::filesystem::path path, std::int64_t finished_epochs) : path_(std::move(path)) {
  std::ifstream file(path_);
  std::string line;
  if (!file || !std::getline(file, line)) return;
  if (line != kHeader)
    throw data::FormatError(
        fmt::format("Reading {}: its first line is '{}', expected '{}'. Move the file away to start a new one.",
                    path_.string(), line, kHeader));
  while (std::getline(file, line)) {
    char* end = nullptr;
    const std::int64_t epoch = std::strtoll(line.c_str(), &end, 10);
    if (*end != ',')
      throw data::FormatError(
          fmt::format("Reading {}: the row '{}' does not start with an epoch.", path_.string(), line));
    if (epoch <= finished_epochs) rows_[epoch] = line;
  }
}

void MetricsCsv::write(const EpochMetrics& metrics) {
  rows_[metrics.epoch] =
      fmt::format("{},{},{},{},{},{},{},{}", metrics.epoch, cell(metrics.loss_heatmap), cell(metrics.loss_locref),
                  cell(metrics.loss_total), cell(metrics.test_rmse_px), cell(metrics.test_rmse_pcutoff_px),
                  cell(metrics.learning_rate), cell(metrics.images_per_s));
  std::string text(kHeader);
  for (const auto& [epoch, row] : rows_) text.append("\n").append(row);
  text.append("\n");
  data::write_file_atomically(path_, text);
}

}  // namespace ringpose::trainer
