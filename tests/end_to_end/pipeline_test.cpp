// The five commands of a project, one after the other, through the real binary on two ranks: exit codes, and what each
// leaves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "analysis/video_index.hpp"
#include "data/label_table.hpp"
#include "tests/support/process.hpp"
#include "tests/support/report_names.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ringpose::tests {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kVideoFrames = 45;  // not a multiple of the batch, nor of the ranks
constexpr int kLabelled = 24;
constexpr int kBodyparts = 3;

std::string read_bytes(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::string> lines_of(const fs::path& path) {
  std::vector<std::string> lines;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// Everything is made once; each test looks at one command's results.
class Pipeline : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder;
    step("synth", 1,
         "synth " + text("project") + " --date 2026-07-01 --width 128 --height 96 --frames " +
             std::to_string(kVideoFrames) + " --labelled " + std::to_string(kLabelled));
    const fs::path project = *folder_ / "project/face-ringpose-2026-07-01";
    const std::string video = (project / "videos/face.mp4").string();
    step("pack", 1, "pack " + project.string() + " -o " + text("face.h5") + " --seed 1");
    step(
        "train", 2,
        "train " + text("face.h5") + " --output " + text("run") +
            " --set model.net_type=resnet_18 --set run.device=cpu --set training.epochs=2 --set training.global_batch=8"
            " --set training.eval_interval=1 --set augmentation.crop_width_px=96"
            " --set augmentation.crop_height_px=96 --set run.cpu_threads=1");
    step("evaluate", 2, "evaluate " + text("run/snapshot-002.safetensors") + " " + text("face.h5"));
    step("analyze", 2,
         "analyze " + video + " --model " + text("run/snapshot-002.safetensors") + " --destfolder " + text("two"));
    step("analyze_alone", 1,
         "analyze " + video + " --model " + text("run/snapshot-002.safetensors") + " --destfolder " + text("one"));
    if (!failure_.empty()) return;
    step("label", 1,
         "label " + video + " --predictions " + report("analyze")["videos"][0]["h5"].get<std::string>() + " --config " +
             project.string() + " --pcutoff 0 -o " + text("labelled.mp4"));
    step("plot", 1, "plot " + report("analyze")["videos"][0]["h5"].get<std::string>() + " -o " + text("plot.png"));
  }
  static void TearDownTestSuite() {
    delete folder_;
    folder_ = nullptr;
  }
  void SetUp() override { ASSERT_EQ(failure_, ""); }

  /// Runs one command and stops the chain when it fails.
  static void step(const std::string& name, int ranks, const std::string& arguments) {
    if (!failure_.empty()) return;
    const std::string command = std::string(RINGPOSE_BINARY) + " " + arguments + " --json " + text(name + ".json");
    const ProcessResult result = run_process(ranks > 1 ? mpirun(ranks) + command : command);
    if (result.exit_code != 0)
      failure_ = name + " ended with exit code " + std::to_string(result.exit_code) + ": " + result.output;
  }
  static std::string text(const std::string& name) { return (*folder_ / name).string(); }
  static json report(const std::string& name) { return json::parse(read_bytes(*folder_ / (name + ".json"))); }
  static data::LabelTable labels() {
    return data::read_label_table(*folder_ /
                                  "project/face-ringpose-2026-07-01/labeled-data/face/CollectedData_ringpose.csv");
  }

  static inline TemporaryFolder* folder_ = nullptr;
  static inline std::string failure_;
};

TEST_F(Pipeline, EveryReportIsDocumented) {
  for (const char* command : {"pack", "train"}) expect_documented(command, report(command));
  // Optional names are there too, and no list is empty, but that the few test images may all be predicted well.
  for (const char* command : {"synth", "evaluate", "analyze", "label", "plot"})
    EXPECT_THAT(expect_documented(command, report(command)), testing::Each(testing::StartsWith("test.far_points[]")))
        << command;
}

TEST_F(Pipeline, PackSplitsByTheProjectsFraction) {
  const json pack = report("pack");
  EXPECT_EQ(pack["frames"], kLabelled);
  EXPECT_EQ(pack["split"]["train"].size(), 19U);  // int(24 * 0.8)
  EXPECT_EQ(pack["split"]["test"].size(), 5U);
  const json synth = report("synth");
  for (const json& part : pack["bodyparts"])
    EXPECT_EQ(part["missing"], synth["missing_labels"][part["name"].get<std::string>()]) << part;
}

TEST_F(Pipeline, TrainMadeEveryUpdateOnTwoRanks) {
  const json train = report("train");
  EXPECT_EQ(train["ranks"], 2);
  EXPECT_EQ(train["epochs"], 2);
  EXPECT_EQ(train["updates"], 2 * 3);  // ceil(19 / 8) an epoch
  EXPECT_EQ(train["finished"], true);
  EXPECT_TRUE(std::isfinite(train["train_loss"].get<double>()));
  EXPECT_EQ(train["last_snapshot"], text("run/snapshot-002.safetensors"));
  EXPECT_TRUE(fs::exists(text("run/run.yaml")));
  EXPECT_EQ(lines_of(text("run/learning_stats.csv")).size(), 1U + 2);
}

// Guessing each bodypart's mean training position, worked out here from the labels and the split alone.
TEST_F(Pipeline, EvaluateComparesWithTheMeanPosition) {
  const json split = report("pack")["split"];
  const data::LabelTable table = labels();
  double sum_px = 0;
  int points = 0;
  for (int part = 0; part < kBodyparts; ++part) {
    double x = 0, y = 0;
    int count = 0;
    for (const int row : split["train"].get<std::vector<int>>())
      if (const auto& at = table.rows[row].keypoints[part]; at.labelled()) {
        x += at.x_px;
        y += at.y_px;
        ++count;
      }
    for (const int row : split["test"].get<std::vector<int>>())
      if (const auto& at = table.rows[row].keypoints[part]; at.labelled()) {
        sum_px += std::hypot(at.x_px - x / count, at.y_px - y / count);
        ++points;
      }
  }
  const json test = report("evaluate")["test"];
  EXPECT_EQ(test["images"], 5);
  EXPECT_EQ(test["labelled"], points);
  EXPECT_NEAR(test["baseline_rmse_px"].get<double>(), sum_px / points, 1e-3);
  EXPECT_GT(test["rmse_px"].get<double>(), 0);
  EXPECT_EQ(report("evaluate")["train"]["images"], 19);
}

TEST_F(Pipeline, TrainingsTestErrorIsEvaluates) {
  EXPECT_NEAR(report("train")["test_rmse_px"].get<double>(), report("evaluate")["test"]["rmse_px"].get<double>(), 0.01);
}

TEST_F(Pipeline, AnalyzeWritesDeepLabCutsTableForEveryFrame) {
  const std::string scorer = "DLC_Resnet18_faceJul1shuffle1_snapshot_2";
  const fs::path csv = *folder_ / ("two/face" + scorer + ".csv");
  ASSERT_TRUE(fs::exists(csv)) << csv;
  EXPECT_TRUE(fs::exists(*folder_ / ("two/face" + scorer + ".h5")));
  const auto lines = lines_of(csv);
  ASSERT_EQ(lines.size(), 3U + kVideoFrames);
  EXPECT_EQ(lines[0].substr(0, 7 + scorer.size()), "scorer," + scorer);
  EXPECT_EQ(lines[1], "bodyparts,lefteye,lefteye,lefteye,righteye,righteye,righteye,nose,nose,nose");
  EXPECT_EQ(lines[2], "coords,x,y,likelihood,x,y,likelihood,x,y,likelihood");
  for (int frame = 0; frame < kVideoFrames; ++frame) {
    std::stringstream fields(lines[3 + frame]);
    std::vector<double> values;
    for (std::string field; std::getline(fields, field, ',');) values.push_back(std::stod(field));
    ASSERT_EQ(values.size(), 1U + 3 * kBodyparts);
    EXPECT_EQ(values[0], frame);
    for (int part = 0; part < kBodyparts; ++part) {
      EXPECT_TRUE(std::isfinite(values[1 + 3 * part]));
      EXPECT_GE(values[3 + 3 * part], 0);
      EXPECT_LE(values[3 + 3 * part], 1);
    }
  }
}

TEST_F(Pipeline, OneRankWritesTheSameTable) {
  const std::string two = report("analyze")["videos"][0]["csv"], one = report("analyze_alone")["videos"][0]["csv"];
  ASSERT_NE(two, one);
  EXPECT_TRUE(read_bytes(one) == read_bytes(two));
}

TEST_F(Pipeline, LabelledVideoHasEveryFrame) {
  const auto index = analysis::index_video(*folder_ / "labelled.mp4");
  EXPECT_EQ(index.size(), kVideoFrames);
  EXPECT_EQ(index.width_px, 128);
  EXPECT_EQ(index.height_px, 96);
  EXPECT_DOUBLE_EQ(index.fps, 30);
}

TEST_F(Pipeline, PlotIsAPicture) {
  EXPECT_EQ(read_bytes(*folder_ / "plot.png").substr(1, 3), "PNG");
}

}  // namespace
}  // namespace ringpose::tests
