// ringpose pack through the real binary: what it writes and reports, and one clear message for each bad input.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/process.hpp"
#include "tests/support/report_names.hpp"
#include "tests/support/small_mount.hpp"
#include "tests/support/small_project.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/test_data.hpp"

namespace ringpose {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using tests::SmallMount;

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

class Pack : public testing::Test {
 protected:
  Pack() { fs::create_directory(output_folder_); }

  [[nodiscard]] tests::ProcessResult pack(const std::string& options = "") const {
    return pack_project(project_, options);
  }
  [[nodiscard]] tests::ProcessResult pack_project(const fs::path& project, const std::string& options) const {
    return tests::run_process(std::string(RINGPOSE_BINARY) + " pack '" + project.string() + "' -o '" +
                              output_.string() + "' " + options);
  }
  /// One message with these words, a non-zero exit code, and nothing left behind.
  void refuses(const testing::Matcher<std::string>& words, const std::string& options = "") const {
    const auto result = pack(options);
    EXPECT_NE(result.exit_code, 0) << result.output;
    EXPECT_LT(result.exit_code, 128) << "killed: " << result.output;
    EXPECT_THAT(result.output, AllOf(HasSubstr("ringpose: "), words));
    const std::string mark = "ringpose: ";
    const auto first = result.output.find(mark);
    EXPECT_EQ(result.output.find("\n" + mark, first), std::string::npos) << "more than one message: " << result.output;
    EXPECT_THAT(names_in(output_folder_), testing::IsEmpty());
  }
  [[nodiscard]] fs::path labels(const std::string& video) const {
    return project_ / "labeled-data" / video / "CollectedData_Ada.csv";
  }

  tests::TemporaryFolder folder_;
  fs::path project_ = tests::write_small_project(folder_.path());
  fs::path output_folder_ = folder_ / "out";
  fs::path output_ = output_folder_ / "data.h5";
};

TEST_F(Pack, PrintsAndReportsWhatItPacked) {
  const fs::path report_file = folder_ / "pack.json";
  const auto result = pack("--test-rows 1,3 --json '" + report_file.string() + "'");
  ASSERT_EQ(result.exit_code, 0) << result.output;
  EXPECT_THAT(result.output, AllOf(HasSubstr("4 frames of 2 videos"), HasSubstr("2 of 24x50"), HasSubstr("2 of 40x30"),
                                   HasSubstr("tail: 3 labelled, 1 missing"), HasSubstr("2 train, 2 test")));
  EXPECT_THAT(names_in(output_folder_), testing::ElementsAre("data.h5"));
  const auto report = nlohmann::json::parse(tests::read_text(report_file));
  EXPECT_EQ(report["frames"], 4);
  EXPECT_EQ(report["videos"][1]["name"], "b");
  EXPECT_EQ(report["bodyparts"][1]["name"], "tail");
  EXPECT_EQ(report["bodyparts"][1]["missing"], 1);
  EXPECT_EQ(report["split"]["train"], (std::vector<int>{0, 2}));
  EXPECT_EQ(report["split"]["test"], (std::vector<int>{1, 3}));
  EXPECT_TRUE(report["split"]["seed"].is_null());
  EXPECT_EQ(report["bytes"], fs::file_size(output_));
  EXPECT_EQ(report["content_digest"].get<std::string>().size(), 64U);
  tests::expect_documented("pack", report);
}

TEST_F(Pack, ExplainsItselfWithExamples) {
  const auto result = tests::run_process(std::string(RINGPOSE_BINARY) + " pack --help");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.output,
              AllOf(HasSubstr("Examples:"), HasSubstr("--test-rows"), HasSubstr("--codec"), HasSubstr("--json")));
}

TEST_F(Pack, DropsOutsideLabelsOnlyWhenAsked) {
  ASSERT_TRUE(tests::replace_in_file(labels("b"), "8.0,9.0", "8.0,90.0"));
  refuses(AllOf(HasSubstr("'nose'"), HasSubstr("b/img9.png"), HasSubstr("y = 90"), HasSubstr("24 x 50"),
                HasSubstr("--outside drop")));
  const fs::path report_file = folder_ / "pack.json";
  const auto result = pack("--outside drop --json '" + report_file.string() + "'");
  ASSERT_EQ(result.exit_code, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("dropped: nose of labeled-data/b/img9.png"));
  const auto unseen = tests::expect_documented("pack", nlohmann::json::parse(tests::read_text(report_file)));
  EXPECT_THAT(unseen, testing::ElementsAre("notes[]"));
}

TEST_F(Pack, RefusesAMissingImage) {
  fs::remove(project_ / "labeled-data" / "a" / "img2.png");
  refuses(AllOf(HasSubstr("a/img2.png is missing"), HasSubstr("CollectedData_Ada.csv, line 4")));
}

TEST_F(Pack, RefusesADamagedImage) {
  tests::write_text(project_ / "labeled-data" / "a" / "img2.png", "not an image");
  refuses(AllOf(HasSubstr("a/img2.png"), HasSubstr("cannot be decoded")));
}

TEST_F(Pack, RefusesUnknownBodyparts) {
  ASSERT_TRUE(tests::replace_in_file(labels("b"), "tail,tail", "fin,fin"));
  refuses(AllOf(HasSubstr("'tail'"), HasSubstr("b/CollectedData_Ada.csv")));
  ASSERT_TRUE(tests::replace_in_file(labels("b"), "fin,fin", "tail,tail"));
  ASSERT_TRUE(tests::replace_in_file(project_ / "config.yaml", "  - tail\nskeleton_color", "  - wing\nskeleton_color"));
  refuses(AllOf(HasSubstr("skeleton"), HasSubstr("'wing'")));
}

TEST_F(Pack, RefusesAnotherScorer) {
  fs::rename(labels("b"), project_ / "labeled-data" / "b" / "CollectedData_Bob.csv");
  refuses(AllOf(HasSubstr("'Bob'"), HasSubstr("'Ada'")));
}

TEST_F(Pack, RefusesDuplicateRows) {
  ASSERT_TRUE(tests::replace_in_file(labels("b"), "b,img9.png", "b,img10.png"));
  refuses(AllOf(HasSubstr("b/img10.png is labelled twice"), HasSubstr("line 4"), HasSubstr("line 5")));
}

TEST_F(Pack, RefusesEmptyAndMultiAnimalProjects) {
  ASSERT_TRUE(
      tests::replace_in_file(project_ / "config.yaml", "multianimalproject: false", "multianimalproject: true"));
  refuses(HasSubstr("multi-animal"));
  ASSERT_TRUE(
      tests::replace_in_file(project_ / "config.yaml", "multianimalproject: true", "multianimalproject: false"));
  fs::remove(labels("a"));
  fs::remove(labels("b"));
  refuses(HasSubstr("no labelled frame"));
  fs::remove(project_ / "config.yaml");
  refuses(AllOf(HasSubstr("config.yaml"), HasSubstr("No such file")));
}

TEST_F(Pack, RefusesWrongOptions) {
  refuses(HasSubstr("row 4"), "--test-rows 4");
  refuses(HasSubstr("row 1 is both"), "--train-rows 0,1 --test-rows 1");
  refuses(HasSubstr("no training frame"), "--test-rows 0-3");
  refuses(HasSubstr("codec 'jpeg:101'"), "--codec jpeg:101");
  refuses(HasSubstr("--seed"), "--seed 1 --test-rows 1");
  refuses(HasSubstr("--outside"), "--outside ignore");
  refuses(HasSubstr("--sed"), "--sed 1");
}

TEST_F(Pack, RefusesAMissingOutputFolder) {
  output_ = output_folder_ / "none" / "data.h5";
  refuses(AllOf(HasSubstr("none/data.h5"), HasSubstr("No such file")));
}

TEST_F(Pack, TellsAFullDisk) {
  const SmallMount disk(output_folder_, SmallMount::Kind::kFull);
  if (!disk.mounted()) GTEST_SKIP() << "mounting a small tmpfs is not permitted here";
  refuses(AllOf(HasSubstr("data.h5"), HasSubstr("No space left")));
  refuses(AllOf(HasSubstr("data.h5"), HasSubstr("No space left")), "--codec raw");
}

TEST_F(Pack, TellsAReadOnlyFolder) {
  const SmallMount disk(output_folder_, SmallMount::Kind::kReadOnly);
  if (!disk.mounted()) GTEST_SKIP() << "a read-only bind mount is not permitted here";
  refuses(AllOf(HasSubstr("data.h5"), HasSubstr("read-only")));
}

TEST_F(Pack, KeepsTheOlderFileWhenItFails) {
  tests::write_text(output_, "older");
  fs::remove(project_ / "labeled-data" / "a" / "img2.png");
  EXPECT_NE(pack().exit_code, 0);
  EXPECT_EQ(tests::read_text(output_), "older");
  EXPECT_THAT(names_in(output_folder_), testing::ElementsAre("data.h5"));
}

TEST_F(Pack, PacksDeepLabCutsOpenFieldExample) {
  if (!fs::exists(tests::open_field_project())) GTEST_SKIP() << "no open-field data in " << tests::test_data_folder();
  const auto result = pack_project(tests::open_field_project(), "--test-rows '%20==7'");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_THAT(result.output, AllOf(HasSubstr("116 frames of 1 video"), HasSubstr("116 of 640x480"),
                                   HasSubstr("tailbase: 116 labelled, 0 missing"), HasSubstr("110 train, 6 test")));
  EXPECT_GT(fs::file_size(output_), 26984272U);  // the 116 PNG files as they are
}

}  // namespace
}  // namespace ringpose
