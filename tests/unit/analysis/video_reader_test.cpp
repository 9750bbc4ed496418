#include "analysis/video_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <string>

#include "data/error.hpp"
#include "tests/support/numbered_video.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/test_data.hpp"

namespace ringpose::analysis {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr int kFrames = 131;

struct VideoCase {
  const char* name;
  const char* file;
  VideoWriterOptions options;
  bool timestamps;
};

VideoWriterOptions coded(const char* codec, double fps, int gop, int b_frames = -1, bool open_gop = false) {
  VideoWriterOptions options;
  options.codec = codec;
  options.fps = fps;
  options.gop_frames = gop;
  options.b_frames = b_frames;
  options.open_gop = open_gop;
  return options;
}

std::vector<std::vector<std::uint8_t>> read_range(const fs::path& path, const VideoIndex& index, FrameRange range) {
  std::vector<std::vector<std::uint8_t>> frames;
  VideoReader reader(path, index, range);
  for (data::Image image; reader.next(image);) frames.push_back(image.pixels_HWC);
  return frames;
}

class VideoReaderRanges : public testing::TestWithParam<VideoCase> {};

// swscale's vector code writes past rows whose width is no multiple of 16: once a damaged heap at 200 or 1080 px.
TEST(VideoReader, ReadsEveryWidth) {
  const tests::TemporaryFolder folder;
  const std::array<int, 3> color{200, 120, 40};
  for (const int width : {16, 18, 22, 24, 26, 30, 176, 182, 184, 192, 198, 200, 202, 216, 232, 360, 632, 1080}) {
    const fs::path path = folder / (std::to_string(width) + ".mp4");
    VideoWriterOptions options = coded("libx264", 25, 12);
    options.width_px = width;
    options.height_px = 50;
    data::Image frame{options.height_px, width, 3, {}};
    for (int i = 0; i < width * options.height_px * 3; ++i)
      frame.pixels_HWC.push_back(static_cast<std::uint8_t>(color[static_cast<std::size_t>(i % 3)]));
    VideoWriter writer(path, options);
    for (int i = 0; i < 3; ++i) writer.write(frame);
    writer.finish();
    const VideoIndex index = index_video(path);
    for (const auto& pixels : read_range(path, index, {0, 3})) {
      ASSERT_EQ(pixels.size(), frame.pixels_HWC.size());
      for (std::size_t i = 0; i < pixels.size(); ++i)
        ASSERT_NEAR(pixels[i], color[i % 3], 8) << "width " << width << ", byte " << i;
    }
  }
}

TEST_P(VideoReaderRanges, EveryFrameIsTheOneItsNumberSays) {
  const tests::TemporaryFolder folder;
  const fs::path path = folder / GetParam().file;
  tests::write_numbered_video(path, kFrames, GetParam().options);
  const VideoIndex index = index_video(path);
  ASSERT_EQ(index.size(), kFrames);
  EXPECT_EQ(index.width_px, tests::kNumberedWidth);
  EXPECT_EQ(index.height_px, tests::kNumberedHeight);
  EXPECT_NEAR(index.fps, GetParam().options.fps, 1e-3);
  EXPECT_EQ(index.timestamps, GetParam().timestamps);
  VideoReader reader(path, index, {0, kFrames});
  data::Image image;
  for (int i = 0; i < kFrames; ++i) {
    ASSERT_TRUE(reader.next(image));
    ASSERT_EQ(tests::read_number(image), i);
  }
  EXPECT_FALSE(reader.next(image));
}

TEST_P(VideoReaderRanges, SplitsEqualTheSequentialReadByteForByte) {
  const tests::TemporaryFolder folder;
  const fs::path path = folder / GetParam().file;
  tests::write_numbered_video(path, kFrames, GetParam().options);
  const VideoIndex index = index_video(path);
  const auto sequential = read_range(path, index, {0, kFrames});
  for (const int ranks : {1, 2, 4, 7}) {
    std::vector<std::vector<std::uint8_t>> joined;
    for (int rank = 0; rank < ranks; ++rank)
      for (auto& frame : read_range(path, index, frame_range(kFrames, 3, rank, ranks)))
        joined.push_back(std::move(frame));
    EXPECT_TRUE(joined == sequential) << ranks << " ranges";
  }
}

// The last column: H.264 in AVI has no presentation times.
INSTANTIATE_TEST_SUITE_P(Files, VideoReaderRanges,
                         testing::Values(VideoCase{"Mp4v", "a.mp4", coded("mpeg4", 29.97, 0), true},
                                         VideoCase{"Mpeg4Avi", "a.avi", coded("mpeg4", 25, 12), true},
                                         VideoCase{"Mpeg4BFrames", "b.mp4", coded("mpeg4", 30, 15, 2), true},
                                         VideoCase{"ShortGop", "c.mp4", coded("libx264", 30, 12, 3), true},
                                         VideoCase{"OpenGop", "d.mp4", coded("libx264", 30, 13, 3, true), true},
                                         VideoCase{"OneGop", "e.mp4", coded("libx264", 30000 / 1001.0, 600, 3), true},
                                         VideoCase{"MatroskaMilliseconds", "f.mkv",
                                                   coded("libx264", 1e6 / 33333, 12, 3), true},
                                         VideoCase{"H264Avi", "g.avi", coded("libx264", 25, 12, 0), false}),
                         [](const auto& instance) { return instance.param.name; });

class VideoIndexErrors : public testing::Test {
 protected:
  std::string message(const fs::path& path) {
    try {
      static_cast<void>(index_video(path));
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  }
  void write_truncated(const fs::path& from, const fs::path& to, double share) {
    std::ifstream in(from, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(in), {}};
    std::ofstream(to, std::ios::binary) << bytes.substr(
        0, static_cast<std::size_t>(share * static_cast<double>(bytes.size())));
  }
  tests::TemporaryFolder folder_;
};

TEST_F(VideoIndexErrors, MissingFile) {
  EXPECT_THAT(message(folder_ / "none.mp4"), HasSubstr("No such file"));
}

TEST_F(VideoIndexErrors, Folder) {
  EXPECT_THAT(message(folder_.path()), HasSubstr("Is a directory"));
}

TEST_F(VideoIndexErrors, NotAVideo) {
  std::ofstream(folder_ / "text.mp4") << "no video at all";
  EXPECT_THAT(message(folder_ / "text.mp4"), HasSubstr("not a video"));
}

TEST_F(VideoIndexErrors, EmptyFile) {
  const std::ofstream empty(folder_ / "empty.mp4");
  EXPECT_THAT(message(folder_ / "empty.mp4"), HasSubstr("cannot open the video"));
}

TEST_F(VideoIndexErrors, Mp4CutBeforeItsIndex) {
  tests::write_numbered_video(folder_ / "a.mp4", 60, coded("mpeg4", 30, 12));
  write_truncated(folder_ / "a.mp4", folder_ / "cut.mp4", 0.6);
  EXPECT_THAT(message(folder_ / "cut.mp4"), HasSubstr("cut off before its index was written"));
}

TEST_F(VideoIndexErrors, TruncatedAviTellsBothCounts) {
  tests::write_numbered_video(folder_ / "a.avi", 60, coded("mpeg4", 30, 12));
  write_truncated(folder_ / "a.avi", folder_ / "cut.avi", 0.6);
  EXPECT_THAT(message(folder_ / "cut.avi"), HasSubstr("truncated"));
  EXPECT_THAT(message(folder_ / "cut.avi"), HasSubstr("of 60 frames"));
}

TEST_F(VideoIndexErrors, TruncatedMatroska) {
  tests::write_numbered_video(folder_ / "a.mkv", 60, coded("libx264", 30, 12));
  write_truncated(folder_ / "a.mkv", folder_ / "cut.mkv", 0.6);
  EXPECT_THAT(message(folder_ / "cut.mkv"), HasSubstr("truncated"));
}

TEST_F(VideoIndexErrors, DamagedFrameIsNamed) {
  const fs::path path = folder_ / "a.mp4";
  tests::write_numbered_video(path, 120, coded("libx264", 30, 12, 0));
  const VideoIndex index = index_video(path);
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(fs::file_size(path) / 2));
  for (int i = 0; i < 3000; ++i) file.put(static_cast<char>(i * 37));
  file.close();
  VideoReader reader(path, index, {0, index.size()});
  data::Image image;
  int read = 0;
  try {
    while (reader.next(image)) ++read;
    FAIL() << "all frames were read";
  } catch (const data::FormatError& error) {
    EXPECT_THAT(error.what(), HasSubstr("cannot decode frame " + std::to_string(read) + " of 120"));
  }
}

TEST(VideoIndex, SurvivesBytes) {
  const VideoIndex index{640, 480, 29.97, "h264", "yuv420p", {{0, 0, true}, {1001, 2, false}, {2002, 1, false}},
                         1,   90,  3,     false};
  EXPECT_EQ(deserialize_index(serialize_index(index)), index);
  EXPECT_THROW(static_cast<void>(deserialize_index("foreign bytes")), data::FormatError);
  const std::string bytes = serialize_index(index);
  EXPECT_THROW(static_cast<void>(deserialize_index(bytes.substr(0, bytes.size() - 1))), data::FormatError);
}

// H.264 4:4:4 by an x264 older than build 151, which FFmpeg decodes rightly only when it has seen the first packet.
TEST(VideoReader, OpenFieldVideoSplitsExactly) {
  const fs::path path = tests::open_field_project() / "videos" / "m3v1mp4.mp4";
  if (!fs::exists(path)) GTEST_SKIP() << "no " << path;
  const VideoIndex index = index_video(path);
  ASSERT_EQ(index.size(), 2330);
  EXPECT_EQ(index.pixel_format, "yuv444p");
  const auto sequential = read_range(path, index, {0, 420});
  const auto from_the_middle = read_range(path, index, {180, 420});
  ASSERT_EQ(from_the_middle.size(), 240U);
  for (std::size_t i = 0; i < from_the_middle.size(); ++i)
    ASSERT_TRUE(from_the_middle[i] == sequential[180 + i]) << "frame " << 180 + i;
}

}  // namespace
}  // namespace ringpose::analysis
