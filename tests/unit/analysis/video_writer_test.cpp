#include "analysis/video_writer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "analysis/video_index.hpp"
#include "data/error.hpp"
#include "tests/support/numbered_video.hpp"
#include "tests/support/small_mount.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ringpose::analysis {
namespace {

namespace fs = std::filesystem;

VideoWriterOptions numbered_options() {
  VideoWriterOptions options;
  options.width_px = tests::kNumberedWidth;
  options.height_px = tests::kNumberedHeight;
  return options;
}

std::string bytes_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(VideoWriter, TagsFollowTheCodec) {
  const tests::TemporaryFolder folder;
  VideoWriterOptions options;
  tests::write_numbered_video(folder / "a.mp4", 5, options);
  options.codec = "libx264";
  tests::write_numbered_video(folder / "b.mp4", 5, options);
  EXPECT_THAT(bytes_of(folder / "a.mp4"), testing::HasSubstr("mp4v"));
  EXPECT_THAT(bytes_of(folder / "b.mp4"), testing::HasSubstr("avc1"));
}

TEST(VideoWriter, RatesAreExactFractions) {
  const tests::TemporaryFolder folder;
  for (const double fps : {29.97, 23.976, 59.94, 30.0, 12.5}) {
    VideoWriterOptions options;
    options.fps = fps;
    tests::write_numbered_video(folder / "a.mp4", 40, options);
    const bool ntsc = fps != 30.0 && fps != 12.5;
    const double exact = ntsc ? std::round(fps * 1.001) * 1000 / 1001 : fps;
    EXPECT_DOUBLE_EQ(index_video(folder / "a.mp4").fps, exact);
  }
}

TEST(VideoWriter, CutsOddLastRowAndColumn) {
  const tests::TemporaryFolder folder;
  VideoWriterOptions options;
  options.width_px = 33;
  options.height_px = 17;
  VideoWriter writer(folder / "a.mp4", options);
  writer.write({17, 33, 3, std::vector<std::uint8_t>(17 * 33 * 3, 100)});
  writer.finish();
  const VideoIndex index = index_video(folder / "a.mp4");
  EXPECT_EQ(index.width_px, 32);
  EXPECT_EQ(index.height_px, 16);
}

TEST(VideoWriter, SameFramesGiveTheSameBytes) {
  const tests::TemporaryFolder folder;
  tests::write_numbered_video(folder / "a.mp4", 30, {});
  tests::write_numbered_video(folder / "b.mp4", 30, {});
  EXPECT_TRUE(bytes_of(folder / "a.mp4") == bytes_of(folder / "b.mp4"));
}

TEST(VideoWriter, WithoutFinishNothingIsLeft) {
  const tests::TemporaryFolder folder;
  {
    VideoWriter writer(folder / "a.mp4", numbered_options());
    writer.write(tests::numbered_frame(0));
  }
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(VideoWriter, RefusesWrongFramesAndOptions) {
  const tests::TemporaryFolder folder;
  VideoWriter writer(folder / "a.mp4", numbered_options());
  EXPECT_THROW(writer.write({8, 8, 3, std::vector<std::uint8_t>(192)}), data::ConfigError);
  EXPECT_THROW(writer.finish(), data::IoError);  // no frame
  EXPECT_THROW(VideoWriter(folder / "a.wmv", numbered_options()), data::ConfigError);
  EXPECT_THROW(VideoWriter(folder / "no/a.mp4", numbered_options()), data::IoError);
  VideoWriterOptions options = numbered_options();
  options.codec = "vp9";
  EXPECT_THROW(VideoWriter(folder / "a.mp4", options), data::ConfigError);
}

TEST(VideoWriter, FullDiskLeavesNothing) {
  const tests::TemporaryFolder folder;
  const tests::SmallMount disk(folder.path(), tests::SmallMount::Kind::kFull);
  if (!disk.mounted()) GTEST_SKIP() << "mounting a small disk is not permitted here";
  EXPECT_THROW(tests::write_numbered_video(folder / "a.mp4", 900, {}), data::IoError);
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

}  // namespace
}  // namespace ringpose::analysis
