#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "analysis/plot_drawing.hpp"
#include "analysis/plot_figures.hpp"
#include "data/error.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ringpose::analysis {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

TEST(PlotLayout, TicksAreRoundAndFew) {
  EXPECT_THAT(nice_ticks({0, 44}, 11), ElementsAre(0, 5, 10, 15, 20, 25, 30, 35, 40));
  EXPECT_THAT(nice_ticks({-0.04, 1.04}, 6),
              ElementsAre(DoubleNear(0, 1e-12), DoubleNear(0.5, 1e-12), DoubleNear(1, 1e-12)));
  EXPECT_THAT(nice_ticks({103, 187}, 6), ElementsAre(120, 140, 160, 180));
}

TEST(PlotLayout, TickTexts) {
  EXPECT_EQ(tick_text(1.5, 0.5), "1.5");
  EXPECT_EQ(tick_text(120, 10), "120");
  EXPECT_EQ(tick_text(0.25, 0.05), "0.25");
  EXPECT_EQ(tick_text(-1e-17, 0.2), "0.0");
}

TEST(PlotLayout, RangesIgnoreNaNAndNeverCollapse) {
  Panel panel;
  EXPECT_LT(y_range(panel).low, y_range(panel).high);
  panel.series = {{"a", {}, {0, 1, 2}, {10, std::numeric_limits<double>::quiet_NaN(), 30}}};
  EXPECT_NEAR(y_range(panel).low, 9.2, 1e-9);
  EXPECT_NEAR(y_range(panel).high, 30.8, 1e-9);
  panel.y_at_least = Range{0, 20};
  EXPECT_NEAR(y_range(panel).low, -1.2, 1e-9);
  EXPECT_DOUBLE_EQ(to_pixel(15, {10, 20}, 100, 200), 150);
}

TEST(PlotFigures, PredictionsBreakBelowThePcutoff) {
  const PredictionTable table{"DLC_x", {"a"}, 2, {10, 20, 0.9F, 30, 40, 0.2F}};
  const Figure figure = prediction_figure(table, {});
  ASSERT_EQ(figure.panels.size(), 3U);
  EXPECT_EQ(figure.panels[0].series[0].y[0], 10);
  EXPECT_TRUE(std::isnan(figure.panels[0].series[0].y[1]));
  EXPECT_TRUE(std::isnan(figure.panels[1].series[0].y[1]));
  EXPECT_FLOAT_EQ(static_cast<float>(figure.panels[2].series[0].y[1]), 0.2F);
  EXPECT_EQ(figure.panels[2].level, 0.6);
}

TEST(PlotFigures, TrainingRunLeavesOutEpochsWithoutEvaluation) {
  const std::string header =
      "step,losses/train.bodypart_heatmap,losses/train.bodypart_locref,losses/train.total_loss,metrics/test.rmse,"
      "metrics/test.rmse_pcutoff,learning_rate,images_per_s\n";
  const Figure figure =
      training_figure(header + "1,0.5,0.25,0.75,,,0.0001,10\n2,0.4,0.2,0.6,12.5,3.5,0.0001,10\n", "run");
  EXPECT_THAT(figure.panels[0].series[0].y, ElementsAre(0.75, 0.6));
  EXPECT_THAT(figure.panels[1].series[0].x, ElementsAre(2));
  EXPECT_THAT(figure.panels[1].series[0].y, ElementsAre(12.5));
  EXPECT_THROW(static_cast<void>(training_figure("step,loss\n1,2\n", "x")), data::FormatError);
  EXPECT_THROW(static_cast<void>(training_figure(header + "1,2\n", "x")), data::FormatError);
}

TEST(PlotDrawing, DrawsTheCurveInItsColor) {
  Figure figure{"t", "x", {}, false};
  Panel panel;
  panel.series = {{"a", {200, 10, 30}, {0, 1}, {5, 5}}};
  figure.panels = {panel};
  const auto image = draw_figure(figure);
  EXPECT_EQ(image.width_px, 1200);
  int colored = 0;  // smoothing blends the colour with the white paper
  for (std::size_t i = 0; i < image.pixels_HWC.size(); i += 3)
    colored += image.pixels_HWC[i] > image.pixels_HWC[i + 1] + 40 ? 1 : 0;
  EXPECT_GT(colored, 900) << "a line over the whole width";
  const tests::TemporaryFolder folder;
  write_png(folder / "a.png", image);
  EXPECT_TRUE(std::filesystem::exists(folder / "a.png"));
  EXPECT_THROW(write_png(folder / "a.jpg", image), data::ConfigError);
}

}  // namespace
}  // namespace ringpose::analysis
