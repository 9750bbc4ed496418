#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "data/error.hpp"
#include "tests/support/temporary_folder.hpp"
#include "trainer/metrics_sink.hpp"

namespace ringpose::trainer {
namespace {

constexpr const char* kHeader =
    "step,losses/train.bodypart_heatmap,losses/train.bodypart_locref,losses/train.total_loss,metrics/test.rmse,"
    "metrics/test.rmse_pcutoff,learning_rate,images_per_s\n";

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

EpochMetrics metrics_of(std::int64_t epoch, double loss) {
  EpochMetrics metrics;
  metrics.epoch = epoch;
  metrics.loss_heatmap = loss;
  metrics.loss_locref = 0.5;
  metrics.loss_total = 0.25;
  metrics.learning_rate = 0.0005;
  metrics.images_per_s = 8;
  return metrics;
}

TEST(MetricsCsv, WritesDeepLabCutsColumnsAndLeavesMissingValuesEmpty) {
  const tests::TemporaryFolder folder;
  MetricsCsv csv(folder / "stats.csv", 0);
  csv.write(metrics_of(1, 0.125));
  EpochMetrics evaluated = metrics_of(2, 0.0625);
  evaluated.test_rmse_px = 2.5;
  evaluated.test_rmse_pcutoff_px = 1.5;
  csv.write(evaluated);
  EXPECT_EQ(text_of(folder / "stats.csv"),
            std::string(kHeader) + "1,0.125,0.5,0.25,,,0.0005,8\n2,0.0625,0.5,0.25,2.5,1.5,0.0005,8\n");
}

TEST(MetricsCsv, KeepsOldRowsAfterResumeWithoutDuplicates) {
  const tests::TemporaryFolder folder;
  {
    MetricsCsv csv(folder / "stats.csv", 0);
    for (int epoch = 1; epoch <= 9; ++epoch) csv.write(metrics_of(epoch, epoch));
  }
  MetricsCsv resumed(folder / "stats.csv", 7);  // rows 8 and 9 will be written again
  resumed.write(metrics_of(8, 0.5));
  std::string expected = kHeader;
  for (int epoch = 1; epoch <= 7; ++epoch)
    expected += std::to_string(epoch) + "," + std::to_string(epoch) + ",0.5,0.25,,,0.0005,8\n";
  EXPECT_EQ(text_of(folder / "stats.csv"), expected + "8,0.5,0.5,0.25,,,0.0005,8\n");
}

TEST(MetricsCsv, RefusesAForeignFile) {
  const tests::TemporaryFolder folder;
  std::ofstream(folder / "stats.csv") << "a,b\n1,2\n";
  EXPECT_THROW(MetricsCsv(folder / "stats.csv", 0), data::FormatError);
}

}  // namespace
}  // namespace ringpose::trainer
