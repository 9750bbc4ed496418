#include "data/packed_reader.hpp"

#include <H5Cpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include "data/error.hpp"
#include "data/packer.hpp"
#include "tests/support/small_project.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ringpose::data {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

class PackedReaderFile : public testing::Test {
 protected:
  PackedReaderFile() {
    PackOptions options;
    options.project = tests::write_small_project(folder_.path());
    options.output = file_;
    pack_project(options);
    bytes_ = tests::read_text(file_);
  }
  void refuses(const testing::Matcher<std::string>& message) const {
    EXPECT_THAT([&] { PackedReader(file_).verify(); },
                ThrowsMessage<FormatError>(AllOf(HasSubstr(file_.string()), message)));
  }
  /// Flips one bit of the file at the place of `needle` + `shift`.
  void flip(const std::string& needle, std::size_t shift) {
    const auto position = bytes_.find(needle);
    ASSERT_NE(position, std::string::npos);
    std::string damaged = bytes_;
    damaged[position + shift] = static_cast<char>(damaged[position + shift] ^ 0x10);
    tests::write_text(file_, damaged);
  }
  static std::string bytes_of(double value) {
    std::string bytes(sizeof value, '\0');
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
  }
  [[nodiscard]] H5::H5File edit() const { return H5::H5File(file_.string(), H5F_ACC_RDWR); }

  tests::TemporaryFolder folder_;
  fs::path file_ = folder_ / "data.h5";
  std::string bytes_;
};

TEST_F(PackedReaderFile, ReadsFromManyThreads) {
  const PackedReader reader(file_);
  const auto expected = reader.read_sample(1).image.pixels_HWC;
  std::vector<int> wrong(4, 0);
  {
    std::vector<std::jthread> threads;
    for (int& count : wrong)
      threads.emplace_back([&] {
        for (int i = 0; i < 50; ++i) count += reader.read_sample(1).image.pixels_HWC != expected;
      });
  }
  EXPECT_THAT(wrong, testing::Each(0));
}

TEST_F(PackedReaderFile, CanBeMoved) {
  PackedReader first(file_);
  PackedReader second = std::move(first);
  EXPECT_EQ(second.read_sample(0).image.width_px, 40);
}

TEST_F(PackedReaderFile, RefusesRowsOutside) {
  const PackedReader reader(file_);
  for (const std::int64_t row : {-1, 4})
    EXPECT_THAT([&] { static_cast<void>(reader.read_sample(row)); },
                ThrowsMessage<FormatError>(HasSubstr("samples 0 to 3")));
}

TEST_F(PackedReaderFile, TellsAMissingFile) {
  EXPECT_THAT([&] { PackedReader(folder_ / "none.h5"); },
              ThrowsMessage<IoError>(AllOf(HasSubstr("none.h5"), HasSubstr("No such file"))));
}

TEST_F(PackedReaderFile, RefusesEveryTruncation) {
  for (const double part : {0.999, 0.9, 0.5, 0.1, 0.01}) {
    tests::write_text(file_, bytes_.substr(0, static_cast<std::size_t>(part * static_cast<double>(bytes_.size()))));
    refuses(HasSubstr("truncated"));
  }
  tests::write_text(file_, bytes_.substr(0, bytes_.size() - 1));
  refuses(HasSubstr("truncated"));
  tests::write_text(file_, bytes_.substr(0, 8));
  refuses(HasSubstr("truncated"));
  tests::write_text(file_, bytes_.substr(0, 7));
  refuses(HasSubstr("not a packed frame file"));
  tests::write_text(file_, "");
  refuses(HasSubstr("empty"));
}

TEST_F(PackedReaderFile, RefusesForeignFiles) {
  tests::write_text(file_, "scorer,Ada\n");
  refuses(AllOf(HasSubstr("not a packed frame file"), HasSubstr("no HDF5 file")));
  H5::H5File(file_.string(), H5F_ACC_TRUNC).close();
  refuses(AllOf(HasSubstr("not a packed frame file"), HasSubstr("other HDF5 file")));
  EXPECT_THROW(PackedReader(folder_.path()), std::runtime_error);
}

TEST_F(PackedReaderFile, RefusesAFlippedPixelBitAtFirstTouch) {
  flip("IDAT", 30);
  const PackedReader reader(file_);  // opening does not read pixels
  EXPECT_THAT(
      [&] { static_cast<void>(reader.read_sample(0)); },
      ThrowsMessage<FormatError>(AllOf(HasSubstr("sample 0 (labeled-data/a/img1.png)"), HasSubstr("checksum"))));
  EXPECT_NO_THROW(static_cast<void>(reader.read_sample(1)));
  refuses(HasSubstr("checksum"));
}

TEST_F(PackedReaderFile, RefusesAFlippedLabelBit) {
  flip(bytes_of(20.125), 0);  // the lowest bits of the number
  refuses(AllOf(HasSubstr("damaged"), HasSubstr("digest")));
}

TEST_F(PackedReaderFile, RefusesAFlippedFactOrProvenanceBit) {
  flip("viridis", 2);
  refuses(HasSubstr("checksum"));
  flip("config_yaml", 3);
  refuses(HasSubstr("checksum"));
}

/// Flips bits all over the metadata: each is found or harmless, none crashes or gives other labels.
TEST_F(PackedReaderFile, NoFlippedBitChangesTheLabels) {
  const auto keypoints = PackedReader(file_).keypoints(0);
  int refused = 0;
  for (std::size_t position = 8; position < bytes_.size(); position += 37) {
    std::string damaged = bytes_;
    damaged[position] = static_cast<char>(damaged[position] ^ 0x04);
    tests::write_text(file_, damaged);
    try {
      const PackedReader reader(file_);
      reader.verify();
      EXPECT_EQ(reader.keypoints(0)[0].x_px, keypoints[0].x_px) << position;
      EXPECT_EQ(reader.size(), 4) << position;
    } catch (const FormatError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 20);
}

TEST_F(PackedReaderFile, RefusesANewerMajorVersion) {
  const std::int64_t version[2] = {2, 0};
  edit().openGroup("/").openAttribute("format_version").write(H5::PredType::NATIVE_INT64, version);
  refuses(AllOf(HasSubstr("version 2.0"), HasSubstr("reads version 1"), HasSubstr("newer ringpose")));
}

TEST_F(PackedReaderFile, AcceptsANewerMinorVersion) {
  const std::int64_t version[2] = {1, 7};
  edit().openGroup("/").openAttribute("format_version").write(H5::PredType::NATIVE_INT64, version);
  EXPECT_EQ(PackedReader(file_).size(), 4);
}

TEST_F(PackedReaderFile, RefusesInterruptedFiles) {
  edit().openGroup("/").removeAttr("complete");
  refuses(AllOf(HasSubstr("incomplete"), HasSubstr("interrupted")));
}

TEST_F(PackedReaderFile, RefusesMissingAndMisshapenDataSets) {
  edit().unlink("/labels/visibility");
  refuses(AllOf(HasSubstr("damaged"), HasSubstr("'visibility' is missing")));
  tests::write_text(file_, bytes_);
  {
    H5::H5File file = edit();
    file.unlink("/frames/height");
    const hsize_t three = 3;
    file.createDataSet("/frames/height", H5::PredType::STD_U32LE, H5::DataSpace(1, &three));
  }
  refuses(AllOf(HasSubstr("'height' has shape [3]"), HasSubstr("expected [4]")));
  tests::write_text(file_, bytes_);
  edit().unlink("/splits/1");
  refuses(HasSubstr("damaged"));
}

TEST_F(PackedReaderFile, RefusesPixelsThatAreNotContiguous) {
  {
    H5::H5File file = edit();
    const hsize_t bytes = static_cast<hsize_t>(file.openDataSet("/frames/blob").getSpace().getSimpleExtentNpoints());
    file.unlink("/frames/blob");
    H5::DSetCreatPropList layout;
    const hsize_t chunk = 64;
    layout.setChunk(1, &chunk);
    file.createDataSet("/frames/blob", H5::PredType::STD_U8LE, H5::DataSpace(1, &bytes), layout);
  }
  refuses(HasSubstr("contiguous"));
}

TEST_F(PackedReaderFile, StartsPixelsOnAPage) {
  const H5::H5File file(file_.string(), H5F_ACC_RDONLY);
  EXPECT_EQ(file.openDataSet("/frames/blob").getOffset() % 4096, 0U);
}

}  // namespace
}  // namespace ringpose::data
