#include "analysis/labelled_video.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/video_index.hpp"
#include "data/error.hpp"
#include "tests/support/numbered_video.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ringpose::analysis {
namespace {

constexpr int kWidth = 100, kHeight = 60;
constexpr Color kGrey = {128, 128, 128}, kViolet = {127, 0, 255}, kRed = {255, 0, 0};

data::Image grey_image() {
  return {kHeight, kWidth, 3, std::vector<std::uint8_t>(kHeight * kWidth * 3, 128)};
}

Color pixel(const data::Image& image, int x, int y) {
  const auto* place = &image.pixels_HWC[static_cast<std::size_t>(y * kWidth + x) * 3];
  return {place[0], place[1], place[2]};
}

/// Two bodyparts; frame 0: a at (20, 30), b at (80, 30); frame 1: a at (20, 50), b at (80, 30).
PredictionTable two_points(float likelihood_a0, float likelihood_b0) {
  return {"DLC_x", {"a", "b"}, 2, {20, 30, likelihood_a0, 80, 30, likelihood_b0, 20, 50, 0.9F, 80, 30, 0.9F}};
}

LabelOptions opaque() {
  LabelOptions options;
  options.drawing.links = {{"a", "b"}};
  options.drawing.alphavalue = 1;
  options.drawing.dotsize = 5;
  options.drawing.skeleton_color = "white";
  return options;
}

data::Image drawn(const PredictionTable& table, const LabelOptions& options, std::int64_t frame = 0) {
  data::Image image = grey_image();
  FramePainter(table, options).draw(frame, image);
  return image;
}

TEST(FramePainter, DotsAndLinkWhereBothAreLikely) {
  const auto image = drawn(two_points(0.9F, 0.9F), opaque());
  EXPECT_EQ(pixel(image, 20, 30), kViolet);
  EXPECT_EQ(pixel(image, 80, 30), kRed);
  for (const std::uint8_t channel : pixel(image, 50, 30)) EXPECT_GT(channel, 230) << "a white line, smoothed";
  EXPECT_EQ(pixel(image, 25, 30), kViolet);  // radius 5
  EXPECT_NE(pixel(image, 20, 36), kViolet);
}

TEST(FramePainter, LikelihoodMustBeAboveThePcutoff) {
  const auto image = drawn(two_points(0.6F, 0.9F), [] {
    auto options = opaque();
    options.drawing.pcutoff = static_cast<double>(0.6F);  // equal is not above
    return options;
  }());
  EXPECT_EQ(pixel(image, 20, 30), kGrey);
  EXPECT_EQ(pixel(image, 80, 30), kRed);
  EXPECT_EQ(pixel(image, 50, 30), kGrey) << "a link needs both ends";
}

TEST(FramePainter, TrailShowsEarlierPositions) {
  auto options = opaque();
  EXPECT_EQ(pixel(drawn(two_points(0.9F, 0.9F), options, 1), 20, 30), kGrey);
  options.trailpoints = 3;
  const Color trail = pixel(drawn(two_points(0.9F, 0.9F), options, 1), 20, 30);
  EXPECT_EQ(trail, (Color{127, 32, 223}));  // three quarters of violet over grey
  EXPECT_EQ(pixel(drawn(two_points(0.1F, 0.9F), options, 1), 20, 30), kGrey) << "hidden then, hidden in the trail";
}

TEST(FramePainter, AlphaBlends) {
  auto options = opaque();
  options.drawing.alphavalue = 0.5;
  options.draw_skeleton = false;
  EXPECT_EQ(pixel(drawn(two_points(0.9F, 0.9F), options), 80, 30), (Color{192, 64, 64}));
}

TEST(FramePainter, OnlyDisplayedBodypartsAndSkeletonSwitch) {
  auto options = opaque();
  options.displayed = {"b"};
  EXPECT_EQ(pixel(drawn(two_points(0.9F, 0.9F), options), 20, 30), kGrey);
  EXPECT_EQ(pixel(drawn(two_points(0.9F, 0.9F), options), 50, 30), kGrey);
  options.displayed = {};
  options.draw_skeleton = false;
  EXPECT_EQ(pixel(drawn(two_points(0.9F, 0.9F), options), 50, 30), kGrey);
}

TEST(FramePainter, PointsOutsideThePictureAreCut) {
  const PredictionTable table{"DLC_x", {"a"}, 1, {-2, 200, 0.9F}};
  LabelOptions options = opaque();
  options.drawing.links.clear();
  EXPECT_EQ(drawn(table, options).pixels_HWC, grey_image().pixels_HWC);
}

TEST(FramePainter, RefusesUnknownNames) {
  const auto table = two_points(0.9F, 0.9F);
  auto options = opaque();
  options.displayed = {"tail"};
  EXPECT_THROW(FramePainter(table, options), data::ConfigError);
  options = opaque();
  options.drawing.links = {{"a", "tail"}};
  EXPECT_THROW(FramePainter(table, options), data::ConfigError);
  options = opaque();
  options.drawing.pcutoff = 1.5;
  EXPECT_THROW(FramePainter(table, options), data::ConfigError);
}

TEST(LabelledVideo, KeepsFramesAndRefusesAnotherVideosPredictions) {
  const tests::TemporaryFolder folder;
  tests::write_numbered_video(folder / "v.mp4", 12, {});
  PredictionTable table{"DLC_x", {"a"}, 12, std::vector<float>(36, 0.9F)};
  LabelOptions options;
  const auto report = write_labelled_video(folder / "v.mp4", table, options, folder / "l.mp4");
  EXPECT_EQ(report.frames, 12);
  EXPECT_THAT(report.shown_K, testing::ElementsAre(12));
  EXPECT_EQ(index_video(folder / "l.mp4").size(), 12);
  table.frames = 11;
  table.values_FK3.resize(33);
  EXPECT_THROW(write_labelled_video(folder / "v.mp4", table, options, folder / "m.mp4"), data::FormatError);
  EXPECT_FALSE(std::filesystem::exists(folder / "m.mp4"));
}

TEST(Sidecar, SurvivesTheFile) {
  const tests::TemporaryFolder folder;
  DrawingFacts facts{{{"a", "b"}}, 0.35, 7, 0.25, "jet", "#102030"};
  AnalysisFacts analysis;
  analysis.video = "x.mp4";
  analysis.video_bytes = 4711;
  analysis.checkpoint_sha256 = "ab12";
  write_sidecar(folder / "x_ringpose.json", analysis, facts);
  const auto read = read_sidecar(folder / "x_ringpose.json");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->drawing, facts);
  EXPECT_EQ(read->analysis.video, "x.mp4");
  EXPECT_EQ(read->analysis.video_bytes, 4711);
  EXPECT_EQ(read->analysis.checkpoint_sha256, "ab12");
  EXPECT_FALSE(read_sidecar(folder / "none.json"));
  EXPECT_EQ(sidecar_path("out/vDLC_x.h5"), "out/vDLC_x_ringpose.json");
}

}  // namespace
}  // namespace ringpose::analysis
