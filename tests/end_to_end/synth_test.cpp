// ringpose synth through the real binary: everything a DeepLabCut project holds, and what a bad call leaves behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>
#include <sstream>

#include "analysis/video_index.hpp"
#include "data/label_table.hpp"
#include "tests/support/process.hpp"
#include "tests/support/report_names.hpp"
#include "tests/support/small_mount.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ringpose {
namespace {

namespace fs = std::filesystem;
using tests::run_process;
using tests::TemporaryFolder;

std::string synth(const fs::path& folder, const std::string& options) {
  const std::string date = options.find("--date") == std::string::npos ? "--date 2026-07-01 " : "";
  return std::string(RINGPOSE_BINARY) + " synth '" + folder.string() + "' " + date + options;
}

const std::string kSmall = "--frames 120 --labelled 30 --width 160 --height 120 --seed 3 ";

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::string> relative_files(const fs::path& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files.push_back(fs::relative(entry.path(), folder).string());
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::stringstream stream(line);
  for (std::string field; std::getline(stream, field, ',');) fields.push_back(field);
  return fields;
}

/// One project shared by the tests that only look at it.
class SynthProject : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder;
    result_ = run_process(synth(folder_->path(), kSmall + "--json '" + (*folder_ / "synth.json").string() + "'"));
    project_ = fs::canonical(folder_->path()) / "face-ringpose-2026-07-01";
  }
  static void TearDownTestSuite() {
    delete folder_;
    folder_ = nullptr;
  }
  void SetUp() override { ASSERT_EQ(result_.exit_code, 0) << result_.output; }

  static inline TemporaryFolder* folder_ = nullptr;
  static inline tests::ProcessResult result_;
  static inline fs::path project_;
};

// Keys and order of DeepLabCut's own template (see the open-field example that ships with it).
TEST_F(SynthProject, ConfigHasTheTemplatesKeysInOrder) {
  const YAML::Node config = YAML::LoadFile((project_ / "config.yaml").string());
  std::vector<std::string> keys;
  for (const auto& entry : config) keys.push_back(entry.first.as<std::string>());
  EXPECT_EQ(keys, (std::vector<std::string>{"Task",
                                            "scorer",
                                            "date",
                                            "multianimalproject",
                                            "identity",
                                            "project_path",
                                            "engine",
                                            "video_sets",
                                            "bodyparts",
                                            "start",
                                            "stop",
                                            "numframes2pick",
                                            "skeleton",
                                            "skeleton_color",
                                            "pcutoff",
                                            "dotsize",
                                            "alphavalue",
                                            "colormap",
                                            "TrainingFraction",
                                            "iteration",
                                            "default_net_type",
                                            "default_augmenter",
                                            "snapshotindex",
                                            "detector_snapshotindex",
                                            "batch_size",
                                            "detector_batch_size",
                                            "cropping",
                                            "x1",
                                            "x2",
                                            "y1",
                                            "y2",
                                            "corner2move2",
                                            "move2corner",
                                            "SuperAnimalConversionTables"}));
  EXPECT_EQ(config["date"].as<std::string>(), "Jul1");
  EXPECT_EQ(config["engine"].as<std::string>(), "pytorch");
  EXPECT_EQ(config["project_path"].as<std::string>(), project_.string());
  EXPECT_EQ(config["video_sets"][(project_ / "videos/face.mp4").string()]["crop"].as<std::string>(), "0, 160, 0, 120");
  EXPECT_EQ(config["bodyparts"].as<std::vector<std::string>>(),
            (std::vector<std::string>{"lefteye", "righteye", "nose"}));
  EXPECT_EQ(config["skeleton"].as<std::vector<std::vector<std::string>>>(),
            (std::vector<std::vector<std::string>>{{"lefteye", "nose"}, {"nose", "righteye"}}));
}

TEST_F(SynthProject, VideoHasEveryFrame) {
  const auto index = analysis::index_video(project_ / "videos/face.mp4");
  EXPECT_EQ(index.size(), 120);
  EXPECT_EQ(index.width_px, 160);
  EXPECT_EQ(index.height_px, 120);
  EXPECT_DOUBLE_EQ(index.fps, 30);
}

TEST_F(SynthProject, EveryLabelledFrameHasItsImage) {
  const fs::path labels = project_ / "labeled-data/face";
  const auto table = data::read_label_table(labels / "CollectedData_ringpose.csv");
  ASSERT_EQ(table.rows.size(), 30U);
  EXPECT_EQ(table.scorer, "ringpose");
  EXPECT_TRUE(fs::exists(labels / "CollectedData_ringpose.h5"));
  for (const auto& row : table.rows) {
    EXPECT_EQ(row.image_name.size(), std::string("img000.png").size());
    const cv::Mat image = cv::imread((labels / row.image_name).string());
    EXPECT_EQ(image.cols, 160) << row.image_name;
    EXPECT_EQ(image.rows, 120);
  }
  EXPECT_EQ(relative_files(labels).size(), 32U);
}

TEST_F(SynthProject, LabelsEqualTheGroundTruthAndLackWhatIsHidden) {
  std::ifstream csv(project_ / "ground-truth.csv");
  std::string line;
  std::getline(csv, line);
  EXPECT_EQ(line,
            "frame,phase,lefteye_x,lefteye_y,lefteye_visible,righteye_x,righteye_y,righteye_visible,nose_x,nose_y,"
            "nose_visible");
  std::vector<std::vector<std::string>> truth;
  while (std::getline(csv, line)) truth.push_back(fields_of(line));
  ASSERT_EQ(truth.size(), 120U);
  int missing = 0;
  for (const auto& row : data::read_label_table(project_ / "labeled-data/face/CollectedData_ringpose.csv").rows) {
    const auto& expected = truth.at(std::stoul(row.image_name.substr(3)));
    for (std::size_t part = 0; part < 3; ++part) {
      const bool visible = expected[4 + 3 * part] == "1";
      ASSERT_EQ(row.keypoints[part].labelled(), visible) << row.image_name;
      missing += visible ? 0 : 1;
      if (!visible) continue;
      EXPECT_NEAR(row.keypoints[part].x_px, std::stod(expected[2 + 3 * part]), 6e-4);
      EXPECT_NEAR(row.keypoints[part].y_px, std::stod(expected[3 + 3 * part]), 6e-4);
    }
  }
  EXPECT_GT(missing, 0);
  std::map<std::string, int> phases;
  for (const auto& fields : truth) ++phases[fields[1]];
  EXPECT_THAT(phases, testing::ElementsAre(testing::Key("blink"), testing::Key("running"), testing::Key("still")));
}

TEST_F(SynthProject, JsonReportHoldsTheSameTruth) {
  const auto report = nlohmann::json::parse(read_file(*folder_ / "synth.json"));
  EXPECT_THAT(tests::expect_documented("synth", report), testing::IsEmpty());
  EXPECT_EQ(report["project"], project_.string());
  EXPECT_EQ(report["video"], (project_ / "videos/face.mp4").string());
  EXPECT_EQ(report["frames"], 120);
  EXPECT_EQ(report["labelled_frames"].size(), 30U);
  ASSERT_EQ(report["truth"].size(), 120U);
  std::ifstream csv(project_ / "ground-truth.csv");
  std::string line;
  std::getline(csv, line);
  for (const auto& frame : report["truth"]) {
    std::getline(csv, line);
    const auto fields = fields_of(line);
    EXPECT_EQ(frame["phase"], fields[1]);
    EXPECT_NEAR(frame["parts"]["nose"]["x_px"].get<double>(), std::stod(fields[8]), 6e-5);
    EXPECT_EQ(frame["parts"]["lefteye"]["visible"].get<bool>(), fields[4] == "1");
  }
}

TEST_F(SynthProject, SameSeedGivesTheSameBytes) {
  const TemporaryFolder other;
  ASSERT_EQ(run_process(synth(other.path(), kSmall)).exit_code, 0);
  const fs::path again = other / "face-ringpose-2026-07-01";
  ASSERT_EQ(relative_files(again), relative_files(project_));
  for (const std::string& file : relative_files(again))
    if (file != "config.yaml" && fs::path(file).extension() != ".h5") {  // the absolute path; HDF5's time of writing
      EXPECT_TRUE(read_file(again / file) == read_file(project_ / file)) << file;
    }
}

TEST_F(SynthProject, AnExistingProjectIsRefusedAndLeftAlone) {
  const auto before = fs::last_write_time(project_ / "config.yaml");
  const auto result = run_process(synth(folder_->path(), kSmall));
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.output, testing::HasSubstr("exists already"));
  EXPECT_EQ(fs::last_write_time(project_ / "config.yaml"), before);
}

TEST(Synth, NamesAndCodecAreTheUsers) {
  const TemporaryFolder folder;
  const auto result = run_process(
      synth(folder / "new folder",
            "--task whiskers --scorer Ada --codec libx264 --frames 20 --labelled 5 --width 96 --height 64"));
  ASSERT_EQ(result.exit_code, 0) << result.output;
  const fs::path project = folder / "new folder/whiskers-Ada-2026-07-01";
  EXPECT_EQ(analysis::index_video(project / "videos/whiskers.mp4").codec, "h264");
  EXPECT_TRUE(fs::exists(project / "labeled-data/whiskers/CollectedData_Ada.csv"));
  // A path with a space still reads back from the YAML.
  const YAML::Node config = YAML::LoadFile((project / "config.yaml").string());
  EXPECT_EQ(config["project_path"].as<std::string>(), fs::canonical(project).string());
}

TEST(Synth, BadOptionsAreOneMessageAndLeaveNothing) {
  const TemporaryFolder folder;
  for (const auto& [options, message] :
       std::vector<std::pair<std::string, std::string>>{{"--frames 10 --labelled 11", "cannot label 11 frames"},
                                                        {"--width 161", "expected even numbers"},
                                                        {"--scorer a/b", "--scorer is 'a/b'"},
                                                        {"--date 2026-02-30", "--date is '2026-02-30'"},
                                                        {"--codec theora", "theora"},
                                                        {"--frames many", "many"}}) {
    const auto result = run_process(synth(folder.path(), options));
    EXPECT_NE(result.exit_code, 0) << options;
    EXPECT_THAT(result.output, testing::HasSubstr(message));
    EXPECT_TRUE(fs::is_empty(folder.path())) << options;
  }
}

// A file system too small for the video: skipped where mounting is not allowed.
TEST(Synth, AFullDiskLeavesNothingBehind) {
  const TemporaryFolder folder;
  const fs::path disk = folder / "disk";
  fs::create_directory(disk);
  const tests::SmallMount mount(disk, tests::SmallMount::Kind::kFull);
  if (!mount.mounted()) GTEST_SKIP() << "cannot mount a tmpfs here (needs root)";
  const auto result = run_process(synth(disk, "--frames 200 --labelled 50"));
  EXPECT_EQ(result.exit_code, 1) << result.output;
  EXPECT_THAT(result.output, testing::HasSubstr("No space left"));
  EXPECT_TRUE(fs::is_empty(disk));
}

}  // namespace
}  // namespace ringpose
