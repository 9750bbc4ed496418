#include "data/packer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <opencv2/imgproc.hpp>

#include "data/error.hpp"
#include "data/packed_reader.hpp"
#include "tests/support/small_project.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/test_data.hpp"

namespace ringpose::data {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

class PackSmallProject : public testing::Test {
 protected:
  PackSmallProject() {
    options_.project = project_;
    options_.output = folder_ / "data.h5";
  }
  void refuses(const testing::Matcher<std::string>& message) const {
    EXPECT_THAT([&] { pack_project(options_); }, ThrowsMessage<ProjectError>(message));
    for (const auto& entry : fs::directory_iterator(folder_.path())) EXPECT_EQ(entry.path(), project_) << "left behind";
  }
  [[nodiscard]] fs::path image(const std::string& name) const { return project_ / "labeled-data" / name; }

  tests::TemporaryFolder folder_;
  fs::path project_ = tests::write_small_project(folder_.path());
  PackOptions options_;
};

void expect_test_pixels(const Image& image) {
  ASSERT_EQ(image.pixels_HWC.size(), static_cast<std::size_t>(image.height_px) * image.width_px * 3);
  for (int y = 0; y < image.height_px; ++y)
    for (int x = 0; x < image.width_px; ++x)
      for (int channel = 0; channel < 3; ++channel)
        ASSERT_EQ(image.pixels_HWC[static_cast<std::size_t>((y * image.width_px + x) * 3 + channel)],
                  tests::test_pixel_bgr(x, y)[2 - channel])
            << x << " " << y;
}

TEST_F(PackSmallProject, KeepsLabelsPixelsAndFacts) {
  const PackReport report = pack_project(options_);
  const PackedReader reader(options_.output);
  ASSERT_EQ(reader.size(), 4);
  EXPECT_EQ(reader.image_name(2), "labeled-data/b/img10.png");
  EXPECT_EQ(reader.width_px(0), 40);
  EXPECT_EQ(reader.height_px(0), 30);
  EXPECT_EQ(reader.width_px(3), 24);  // mixed sizes
  EXPECT_EQ(reader.height_px(3), 50);
  for (std::int64_t row = 0; row < 4; ++row) expect_test_pixels(reader.read_sample(row).image);
  const auto keypoints = reader.keypoints(0);
  EXPECT_EQ(keypoints[0].x_px, 0.1);
  EXPECT_EQ(keypoints[0].y_px, 29.9);
  EXPECT_EQ(keypoints[1].x_px, 1.0);
  EXPECT_FALSE(reader.keypoints(3)[1].labelled());
  EXPECT_EQ(reader.project().pcutoff, 0.35);
  EXPECT_EQ(reader.project().skeleton.links.size(), 1U);
  EXPECT_EQ(reader.project().train_fraction, 0.5);
  EXPECT_THAT(reader.index().frame_index, ElementsAre(1, 2, 10, 9));
  EXPECT_THAT(reader.index().video_name, ElementsAre("a", "b"));
  EXPECT_THAT(reader.index().video_width, ElementsAre(40, 24));
  EXPECT_EQ(reader.content_digest(), report.content_digest);
  reader.verify();
}

TEST_F(PackSmallProject, CountsWhatWasPacked) {
  const PackReport report = pack_project(options_);
  EXPECT_EQ(report.frames, 4);
  ASSERT_EQ(report.parts.size(), 2U);
  EXPECT_EQ(report.parts[0].labelled, 4);
  EXPECT_EQ(report.parts[1].labelled, 3);
  EXPECT_EQ(report.parts[1].missing, 1);
  ASSERT_EQ(report.image_sizes.size(), 2U);
  EXPECT_EQ(report.image_sizes[0].width_px, 24);
  EXPECT_EQ(report.image_sizes[0].frames, 2);
  EXPECT_EQ(report.split.train.size(), 2U);
  EXPECT_EQ(report.file_bytes, fs::file_size(options_.output));
}

TEST_F(PackSmallProject, StoresPixelsInEveryCodec) {
  for (const char* codec : {"passthrough", "raw"}) {
    options_.codec = parse_codec_policy(codec);
    pack_project(options_);
    const PackedReader reader(options_.output);
    for (std::int64_t row = 0; row < 4; ++row) expect_test_pixels(reader.read_sample(row).image);
  }
  options_.codec = parse_codec_policy("jpeg:100");
  pack_project(options_);
  const PackedReader reader(options_.output);
  const Image image = reader.read_sample(0).image;
  EXPECT_EQ(reader.index().codec[0], static_cast<std::uint8_t>(Codec::kJpeg));
  EXPECT_NEAR(image.pixels_HWC[0], tests::test_pixel_bgr(0, 0)[2], 12);
  EXPECT_NEAR(image.pixels_HWC[2], tests::test_pixel_bgr(0, 0)[0], 12);
}

TEST_F(PackSmallProject, PassthroughKeepsTheFilesBytes) {
  pack_project(options_);
  const PackedReader reader(options_.output);
  EXPECT_EQ(reader.index().nbytes[0], fs::file_size(image("a/img1.png")));
  const std::string packed = tests::read_text(options_.output);
  EXPECT_NE(packed.find(tests::read_text(image("a/img1.png"))), std::string::npos);
  for (const std::uint64_t offset : reader.index().offset) EXPECT_EQ(offset % 64, 0U);
}

TEST_F(PackSmallProject, MakesGreyAlphaSixteenBitAndOtherFormatsRgb) {
  cv::Mat grey(30, 40, CV_8UC1);
  cv::randu(grey, 0, 255);
  cv::imwrite(image("a/img1.png").string(), grey);
  cv::Mat alpha(30, 40, CV_8UC4, cv::Scalar(10, 20, 30, 0));
  cv::imwrite(image("a/img2.png").string(), alpha);
  cv::Mat deep(50, 24, CV_16UC3, cv::Scalar(256 * 7, 256 * 8, 256 * 9));
  cv::imwrite(image("b/img10.png").string(), deep);
  cv::Mat bitmap(50, 24, CV_8UC3, cv::Scalar(1, 2, 3));
  cv::imwrite((folder_ / "x.bmp").string(), bitmap);
  fs::rename(folder_ / "x.bmp", image("b/img9.png"));
  pack_project(options_);
  const PackedReader reader(options_.output);
  const Image first = reader.read_sample(0).image;
  for (int i = 0; i < 30 * 40; ++i)
    for (int channel = 0; channel < 3; ++channel)
      ASSERT_EQ(first.pixels_HWC[static_cast<std::size_t>(3 * i + channel)], grey.data[i]);
  const auto first_pixel = [&](std::int64_t row) {
    const Image pixels = reader.read_sample(row).image;
    return std::vector<int>(pixels.pixels_HWC.begin(), pixels.pixels_HWC.begin() + 3);
  };
  EXPECT_THAT(first_pixel(1), ElementsAre(30, 20, 10));
  EXPECT_THAT(first_pixel(2), ElementsAre(9, 8, 7));
  EXPECT_THAT(first_pixel(3), ElementsAre(3, 2, 1));
  EXPECT_EQ(reader.index().codec[3], static_cast<std::uint8_t>(Codec::kRaw));
}

TEST_F(PackSmallProject, TheDigestFollowsTheDataNotTheRun) {
  const std::string digest = pack_project(options_).content_digest;
  options_.command_line = "another run";
  EXPECT_EQ(pack_project(options_).content_digest, digest);
  options_.test_rows = "1";
  EXPECT_NE(pack_project(options_).content_digest, digest);
  options_.test_rows.reset();
  ASSERT_TRUE(tests::replace_in_file(project_ / "labeled-data" / "b" / "CollectedData_Ada.csv", "49.5", "49.25"));
  EXPECT_NE(pack_project(options_).content_digest, digest);
}

TEST_F(PackSmallProject, TakesTheRowsGiven) {
  options_.test_rows = "%4==3";
  options_.shuffle = 5;
  pack_project(options_);
  const PackedReader reader(options_.output);
  EXPECT_THAT(reader.split().train, ElementsAre(0, 1, 2));
  EXPECT_THAT(reader.split().test, ElementsAre(3));
  EXPECT_EQ(reader.project().shuffle, 5);
  EXPECT_EQ(reader.project().train_fraction, 0.75);
}

TEST_F(PackSmallProject, RemembersWhereTheDataCameFrom) {
  options_.command_line = "ringpose pack x";
  pack_project(options_);
  const auto provenance = nlohmann::json::parse(PackedReader(options_.output).provenance_json());
  EXPECT_EQ(provenance["command"], "ringpose pack x");
  EXPECT_EQ(provenance["config_yaml"], tests::read_text(project_ / "config.yaml"));
  EXPECT_EQ(provenance["split"]["seed"], 42);
  EXPECT_EQ(provenance["label_files"][1], "labeled-data/b/CollectedData_Ada.csv");
}

TEST_F(PackSmallProject, RefusesAMissingImage) {
  fs::remove(image("b/img9.png"));
  refuses(AllOf(HasSubstr("b/img9.png is missing"), HasSubstr("b/CollectedData_Ada.csv, line 5")));
}

TEST_F(PackSmallProject, RefusesDamagedImages) {
  const std::string png = tests::read_text(image("b/img9.png"));
  tests::write_text(image("b/img9.png"), png.substr(0, png.size() / 2));
  refuses(AllOf(HasSubstr("b/img9.png"), HasSubstr("cannot be decoded")));
  tests::write_image(folder_ / "x.jpg", 24, 50);
  const std::string jpeg = tests::read_text(folder_ / "x.jpg");
  fs::remove(folder_ / "x.jpg");
  tests::write_text(image("b/img9.png"), jpeg.substr(0, jpeg.size() / 2));
  refuses(AllOf(HasSubstr("b/img9.png"), HasSubstr("cannot be decoded")));
  tests::write_text(image("b/img9.png"), "");
  refuses(HasSubstr("cannot be decoded"));
}

TEST_F(PackSmallProject, RefusesLabelsOutsideTheImage) {
  const fs::path labels = project_ / "labeled-data" / "b" / "CollectedData_Ada.csv";
  // DeepLabCut's condition is 0 < x < width and 0 < y < height: both edges are outside.
  for (const char* outside : {"24,9.0", "0,9.0", "8.0,50", "8.0,0", "-1,9.0"}) {
    ASSERT_TRUE(tests::replace_in_file(labels, "8.0,9.0", outside));
    refuses(AllOf(HasSubstr("'nose'"), HasSubstr("b/img9.png"), HasSubstr("24 x 50"), HasSubstr("line 5"),
                  HasSubstr("--outside drop")));
    ASSERT_TRUE(tests::replace_in_file(labels, outside, "8.0,9.0"));
  }
  for (const char* inside : {"23.99,9.0", "0.01,9.0", "8.0,49.99"}) {
    ASSERT_TRUE(tests::replace_in_file(labels, "8.0,9.0", inside));
    EXPECT_NO_THROW(pack_project(options_)) << inside;
    ASSERT_TRUE(tests::replace_in_file(labels, inside, "8.0,9.0"));
  }
}

TEST_F(PackSmallProject, DropsLabelsOutsideWhenAsked) {
  ASSERT_TRUE(tests::replace_in_file(project_ / "labeled-data" / "b" / "CollectedData_Ada.csv", "8.0,9.0", "24,9.0"));
  options_.outside = OutsideLabels::kDrop;
  const PackReport report = pack_project(options_);
  ASSERT_EQ(report.dropped.size(), 1U);
  EXPECT_EQ(report.dropped[0].bodypart, "nose");
  EXPECT_EQ(report.dropped[0].x_px, 24.0);
  EXPECT_EQ(report.parts[0].missing, 1);
  const PackedReader reader(options_.output);
  EXPECT_FALSE(reader.keypoints(3)[0].labelled());
  EXPECT_EQ(nlohmann::json::parse(reader.provenance_json())["dropped_labels"].size(), 1U);
}

TEST_F(PackSmallProject, KeepsAnOlderFileWhenPackingFails) {
  pack_project(options_);
  const std::string before = tests::read_text(options_.output);
  fs::remove(image("b/img9.png"));
  EXPECT_THROW(pack_project(options_), ProjectError);
  EXPECT_EQ(tests::read_text(options_.output), before);
}

TEST_F(PackSmallProject, TellsAMissingOutputFolderBeforeReadingImages) {
  options_.output = folder_ / "none" / "data.h5";
  fs::remove(image("b/img9.png"));
  EXPECT_THAT([&] { pack_project(options_); },
              ThrowsMessage<IoError>(AllOf(HasSubstr("none/data.h5"), HasSubstr("No such file"))));
}

TEST(PackOpenField, KeepsDeepLabCutsExampleBitForBit) {
  if (!fs::exists(tests::open_field_project())) GTEST_SKIP() << "no open-field data in " << tests::test_data_folder();
  const tests::TemporaryFolder folder;
  PackOptions options;
  options.project = tests::open_field_project();
  options.output = folder / "data.h5";
  options.test_rows = "%20==7";
  const PackReport report = pack_project(options);
  EXPECT_EQ(report.frames, 116);
  for (const PartCount& part : report.parts) EXPECT_EQ(part.missing, 0) << part.bodypart;
  const PackedReader reader(options.output);
  EXPECT_THAT(reader.split().test, ElementsAre(7, 27, 47, 67, 87, 107));
  EXPECT_EQ(reader.split().train.size(), 110U);
  const auto first = reader.keypoints(0);
  EXPECT_EQ(first[0].x_px, 21.521);
  EXPECT_EQ(first[0].y_px, 265.428);
  EXPECT_EQ(first[1].x_px, 33.819);
  EXPECT_EQ(first[2].y_px, 250.05599999999998);
  EXPECT_EQ(first[3].x_px, 87.11);
  EXPECT_EQ(first[3].y_px, 152.69799999999998);
  for (const std::int64_t row : {0, 57, 115}) {
    const Image image = reader.read_sample(row).image;
    cv::Mat expected = cv::imread((tests::open_field_project() / reader.image_name(row)).string(), cv::IMREAD_COLOR);
    cv::cvtColor(expected, expected, cv::COLOR_BGR2RGB);
    ASSERT_EQ(image.pixels_HWC.size(), 640U * 480U * 3U);
    EXPECT_EQ(std::memcmp(image.pixels_HWC.data(), expected.data, image.pixels_HWC.size()), 0) << row;
  }
}

}  // namespace
}  // namespace ringpose::data
