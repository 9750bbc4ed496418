// The safetensors container: files of Python's library, and files that must be refused.
#include "trainer/safetensors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>

#include "data/error.hpp"
#include "tests/support/small_mount.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ringpose::trainer {
namespace {

const std::string kPythonFile = std::string(RINGPOSE_SOURCE_DIR) + "/tests/golden/python_written.safetensors";

std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Safetensors : public testing::Test {
 protected:
  /// A file of a header text, its length, and data bytes.
  std::filesystem::path write(const std::string& header, std::size_t data_bytes) {
    const std::uint64_t length = header.size();
    std::string bytes(8, '\0');
    std::memcpy(bytes.data(), &length, 8);
    return write_raw(bytes + header + std::string(data_bytes, '\1'));
  }
  std::filesystem::path write_raw(const std::string& bytes) {
    const std::filesystem::path path = folder_.path() / "file.safetensors";
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  void expect_refused(const std::filesystem::path& path, const std::string& reason) {
    try {
      static_cast<void>(read_safetensors(path));
      ADD_FAILURE() << "was read, although: " << reason;
    } catch (const data::FormatError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(reason));
      EXPECT_THAT(error.what(), testing::HasSubstr(path.string()));
    }
  }
  tests::TemporaryFolder folder_;
};

TEST_F(Safetensors, ReadsWhatPythonWrote) {
  const TensorFile file = read_safetensors(kPythonFile);
  EXPECT_EQ(file.metadata.at("écrit"), "by \"Python\"\n");
  const torch::Tensor expected = torch::tensor({0, 1, -1, 100, 7, -128}).view({2, 3});
  int checked = 0;
  for (const auto& [name, tensor] : file.tensors) {
    if (name == "u8") {
      EXPECT_TRUE(torch::equal(tensor, torch::tensor({255, 0, 1}, torch::kUInt8)));
    } else if (name == "bool") {
      EXPECT_TRUE(torch::equal(tensor, torch::tensor({true, false}, torch::kBool)));
    } else if (name == "scalar") {
      EXPECT_TRUE(tensor.dim() == 0 && tensor.item<float>() == 2.5F);
    } else if (name == "empty") {
      EXPECT_EQ(tensor.sizes().vec(), (std::vector<std::int64_t>{0, 4}));
    } else {
      EXPECT_TRUE(torch::equal(tensor.to(torch::kInt64), expected)) << name;
    }
    ++checked;
  }
  EXPECT_EQ(checked, 12);
}

TEST_F(Safetensors, WritesTheBytesThatPythonWrites) {
  const std::filesystem::path path = folder_.path() / "again.safetensors";
  write_safetensors(path, read_safetensors(kPythonFile));
  EXPECT_EQ(read_text(path), read_text(kPythonFile));
}

TEST_F(Safetensors, RoundTripKeepsOrderAndAlignment) {
  TensorFile file;
  file.tensors = {{"b", torch::tensor({1, 2, 3}, torch::kUInt8)},
                  {"a", torch::arange(6).view({2, 3}).t()},
                  {"c", torch::rand({5})}};
  file.metadata = {{"z", "1"}, {"y", "ä"}};
  const std::filesystem::path path = folder_.path() / "new.safetensors";
  write_safetensors(path, file);
  const TensorFile read = read_safetensors(path);
  ASSERT_EQ(read.tensors.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(read.tensors[i].first, file.tensors[i].first);
    EXPECT_TRUE(torch::equal(read.tensors[i].second, file.tensors[i].second));
  }
  EXPECT_EQ(read.metadata, file.metadata);
  EXPECT_THAT(read_text(path),
              testing::HasSubstr(R"("a":{"dtype":"I64","shape":[3,2],"data_offsets":[0,48]})"));  // widest first
}

TEST_F(Safetensors, RefusesTruncatedFiles) {
  const std::string whole = read_text(kPythonFile);
  for (const std::size_t size : {std::size_t{0}, std::size_t{7}, std::size_t{8}, std::size_t{100}, whole.size() - 1})
    EXPECT_THROW(static_cast<void>(read_safetensors(write_raw(whole.substr(0, size)))), data::FormatError) << size;
  EXPECT_THROW(static_cast<void>(read_safetensors(write_raw(whole + "x"))), data::FormatError);
}

TEST_F(Safetensors, RefusesHeadersThatAreNotItsOwn) {
  expect_refused(write_raw("\x89PNG\r\n\x1a\n and more"), "its header would have");
  expect_refused(write("{\"a\":", 0), "not JSON");
  expect_refused(write("[1,2]", 0), "not a JSON object");
  expect_refused(write(R"({"__metadata__":{"a":1}})", 0), "not text");
  expect_refused(write(R"({"a":{"dtype":"F32","shape":[1]}})", 4), "lacks");
  expect_refused(write(R"({"a":{"dtype":"F8","shape":[4],"data_offsets":[0,4]}})", 4), "dtype");
  expect_refused(write(R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", 4), "whole number");
  expect_refused(write(R"({"a":{"dtype":"F32","shape":[1.5],"data_offsets":[0,4]}})", 4), "whole number");
}

TEST_F(Safetensors, RefusesPlacesThatDoNotFit) {
  expect_refused(write(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", 4), "do not fit");
  expect_refused(write(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 4), "truncated");
  expect_refused(write(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})", 4), "lies at bytes");
  // 2^62 elements of 8 bytes: the product wraps to 0.
  expect_refused(write(R"({"a":{"dtype":"F64","shape":[4611686018427387904],"data_offsets":[0,0]}})", 0), "do not fit");
  expect_refused(
      write(
          R"({"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},"b":{"dtype":"U8","shape":[3],"data_offsets":[2,5]}})",
          5),
      "overlap");
  expect_refused(
      write(
          R"({"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},"b":{"dtype":"U8","shape":[1],"data_offsets":[4,5]}})",
          5),
      "gap");
  expect_refused(write(R"({"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]}})", 5), "end at byte 3");
}

TEST_F(Safetensors, RefusesNamesThatAppearTwice) {
  expect_refused(
      write(
          R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})",
          2),
      "appears twice");
  const TensorFile twice{.tensors = {{"a", torch::zeros(1)}, {"a", torch::zeros(1)}}, .metadata = {}};
  EXPECT_THROW(write_safetensors(folder_.path() / "x", twice), std::invalid_argument);
  EXPECT_THROW(
      write_safetensors(folder_.path() / "x", {.tensors = {{"__metadata__", torch::zeros(1)}}, .metadata = {}}),
      std::invalid_argument);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "x"));
}

TEST_F(Safetensors, MissingFilesAndFoldersAreIoErrors) {
  EXPECT_THROW(static_cast<void>(read_safetensors(folder_.path() / "none")), data::IoError);
  EXPECT_THROW(static_cast<void>(read_safetensors(folder_.path())), data::IoError);
  EXPECT_THROW(write_safetensors(folder_.path() / "none" / "x", {}), data::IoError);
}

TEST_F(Safetensors, FullDiskLeavesTheOldFile) {
  const tests::SmallMount mount(folder_.path(), tests::SmallMount::Kind::kFull);
  if (!mount.mounted()) GTEST_SKIP() << "may not mount a small disk here";
  const std::filesystem::path path = folder_.path() / "a.safetensors";
  write_safetensors(path, {.tensors = {{"a", torch::ones(10)}}, .metadata = {}});
  EXPECT_THROW(write_safetensors(path, {.tensors = {{"a", torch::ones(1 << 20)}}, .metadata = {}}), data::IoError);
  EXPECT_EQ(read_safetensors(path).tensors.at(0).second.numel(), 10);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path()), {}), 1);
}

}  // namespace
}  // namespace ringpose::trainer
