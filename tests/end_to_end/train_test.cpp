// ringpose train and evaluate as a user runs them: the real binary on a few tiny images, alone and under mpirun.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/process.hpp"
#include "tests/support/report_names.hpp"
#include "tests/support/small_mount.hpp"
#include "tests/support/small_project.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ringpose::tests {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kBinary = RINGPOSE_BINARY;
/// Two updates per epoch, the second with one image.
const std::string kTiny =
    " --set model.net_type=resnet_18 --set training.global_batch=2 --set augmentation.crop_width_px=64"
    " --set augmentation.crop_height_px=64 --set run.cpu_threads=1 --set training.eval_interval=2"
    " --set optimizer.milestones=[2] --set optimizer.rates=[1e-4] --set run.device=cpu";  // more ranks than GPUs

/// A tiny packed project: rows 0, 1, 3 for training, row 2 for testing.
class Train : public testing::Test {
 protected:
  void SetUp() override {
    project_ = write_small_project(folder_.path());
    pack(project_, data_);
  }

  void TearDown() override { EXPECT_THAT(processes_left(), IsEmpty()); }

  static void pack(const fs::path& project, const fs::path& data) {
    const ProcessResult packed =
        run_process(kBinary + " pack " + project.string() + " -o " + data.string() + " --test-rows 2");
    ASSERT_EQ(packed.exit_code, 0) << packed.output;
  }

  std::string train(const fs::path& run, int epochs, const std::string& more = "") const {
    return kBinary + " train " + data_.string() + " --output " + run.string() + kTiny +
           " --set training.epochs=" + std::to_string(epochs) + " " + more;
  }

  /// Command lines of processes that still name this test's folder.
  std::vector<std::string> processes_left() const {
    std::vector<std::string> left;
    for (const auto& entry : fs::directory_iterator("/proc")) {
      const std::string name = entry.path().filename().string();
      if (name.find_first_not_of("0123456789") != std::string::npos || name == std::to_string(::getpid())) continue;
      std::string line = read_text(entry.path() / "cmdline");
      std::replace(line.begin(), line.end(), '\0', ' ');
      if (line.starts_with(kBinary) && line.find(folder_.path().string()) != std::string::npos) left.push_back(line);
    }
    return left;
  }

  /// One message, a non-zero exit code, no trace of a half-written file.
  void expect_refusal(const std::string& command, const std::string& message) const {
    const ProcessResult result = run_process(command);
    EXPECT_NE(result.exit_code, 0) << command;
    EXPECT_THAT(result.output, HasSubstr(message)) << command;
    std::size_t messages = 0;
    for (std::size_t at = result.output.find("ringpose: "); at != std::string::npos;
         at = result.output.find("ringpose: ", at + 1))
      ++messages;
    EXPECT_EQ(messages, 1u) << command << "\n" << result.output;
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path()))
      EXPECT_NE(entry.path().extension(), ".tmp") << entry.path();
  }

  /// The same alone and on two ranks.
  void expect_refusal_on_1_and_2(const std::string& command, const std::string& message) const {
    expect_refusal(command, message);
    expect_refusal(mpirun(2) + command, message);
  }

  TemporaryFolder folder_;
  fs::path project_;
  fs::path data_ = folder_ / "data.h5";
};

/// The CSV without its last column, which is a speed.
std::string without_speed(const std::string& csv) {
  std::string kept;
  std::istringstream lines(csv);
  for (std::string line; std::getline(lines, line);) kept += line.substr(0, line.rfind(',')) + "\n";
  return kept;
}

TEST_F(Train, TwoRanksLeaveSnapshotsMetricsAndAReport) {
  const ProcessResult trained =
      run_process(mpirun(2) + train(folder_ / "run", 3, "--json " + (folder_ / "train.json").string()));
  ASSERT_EQ(trained.exit_code, 0) << trained.output;
  EXPECT_THAT(trained.output,
              AllOf(HasSubstr("ranks: 2 on 1 host(s), backend mpi"), HasSubstr("WEIGHTS: RANDOM"),
                    HasSubstr("3 training and 1 test images"),
                    HasSubstr("2 images per update, 1 per rank; 2 updates per epoch, 3 epochs, 6 updates"),
                    HasSubstr("epochs: 3"), HasSubstr("finished: 3 epochs, 6 updates")));
  for (const char* file : {"run.yaml", "learning_stats.csv", "snapshot-003.safetensors"})
    EXPECT_TRUE(fs::exists(folder_ / "run" / file)) << file;
  const auto report = nlohmann::json::parse(read_text(folder_ / "train.json"));
  expect_documented("train", report);
  EXPECT_EQ(report["updates"], 6);
  EXPECT_EQ(report["finished"], true);
  EXPECT_EQ(report["random_weights"], true);
  EXPECT_EQ(report["backend"], "mpi");
  EXPECT_GT(report["test_rmse_px"].get<double>(), 0);
  EXPECT_TRUE(fs::exists(report["best_snapshot"].get<std::string>()));
  const std::string stats = read_text(folder_ / "run" / "learning_stats.csv");
  EXPECT_EQ(std::count(stats.begin(), stats.end(), '\n'), 4);

  // Evaluation gives the same numbers whatever the number of ranks; they are those of the training's own last
  // evaluation.
  std::vector<nlohmann::json> errors;
  for (const int ranks : {1, 2, 3}) {
    const std::string out = (folder_ / "errors.json").string();
    const ProcessResult evaluated =
        run_process(mpirun(ranks) + kBinary + " evaluate " + (folder_ / "run/snapshot-003.safetensors").string() + " " +
                    data_.string() + " --pcutoff 0.1 --json " + out + " --csv " + (folder_ / "points.csv").string());
    ASSERT_EQ(evaluated.exit_code, 0) << evaluated.output;
    errors.push_back(nlohmann::json::parse(read_text(out)));
    expect_documented("evaluate", errors.back());
    errors.back().erase("ranks");
  }
  EXPECT_EQ(errors[0], errors[1]);
  EXPECT_EQ(errors[0], errors[2]);
  EXPECT_NEAR(errors[0]["test"]["rmse_px"].get<double>(), report["test_rmse_px"].get<double>(), 1e-4);
  EXPECT_EQ(errors[0]["train"]["images"], 3);
  EXPECT_EQ(errors[0]["test"]["bodyparts"].size(), 2u);
  const std::string points = read_text(folder_ / "points.csv");
  EXPECT_EQ(std::count(points.begin(), points.end(), '\n'), 8);  // header, 4 images * 2 parts - 1 missing label
}

TEST_F(Train, ResumedRunEqualsTheUninterruptedOneBitForBit) {
  const std::string ranks = mpirun(2);
  const auto json = [this](const std::string& name) { return " --json " + (folder_ / (name + ".json")).string(); };
  const ProcessResult whole = run_process(ranks + train(folder_ / "whole", 4));
  ASSERT_EQ(whole.exit_code, 0) << whole.output;
  // Stopped within the second epoch, before the rate changes, and once more between epochs.
  const ProcessResult first = run_process(ranks + train(folder_ / "parts", 4, "--max-steps 3" + json("first")));
  ASSERT_EQ(first.exit_code, 0) << first.output;
  EXPECT_THAT(first.output, HasSubstr("stopped as asked: 1 epochs, 3 updates"));
  EXPECT_TRUE(fs::exists(folder_ / "parts" / "snapshot-001-step-0001.safetensors"));
  const std::string go_on = kBinary + " train " + data_.string() + " --output " + (folder_ / "parts").string();
  const ProcessResult second = run_process(ranks + go_on + " --stop-after-epochs 3 --resume" + json("second"));
  ASSERT_EQ(second.exit_code, 0) << second.output;
  const ProcessResult third = run_process(ranks + go_on + " --resume " +
                                          (folder_ / "parts" / "snapshot-003.safetensors").string() + json("third"));
  ASSERT_EQ(third.exit_code, 0) << third.output;
  EXPECT_TRUE(read_text(folder_ / "whole" / "snapshot-004.safetensors") ==
              read_text(folder_ / "parts" / "snapshot-004.safetensors"));
  EXPECT_EQ(without_speed(read_text(folder_ / "whole" / "learning_stats.csv")),
            without_speed(read_text(folder_ / "parts" / "learning_stats.csv")));
  for (const char* name : {"first.json", "second.json", "third.json"})
    expect_documented("train", nlohmann::json::parse(read_text(folder_ / name)));
}

TEST_F(Train, RefusesBadSettings) {
  write_text(folder_ / "typo.yaml", "training:\n  epochs: 1\n  global_bach: 2\n");
  expect_refusal_on_1_and_2(
      train(folder_ / "run", 1, "--config " + (folder_ / "typo.yaml").string()),
      "typo.yaml:3: unknown key 'training.global_bach'. The nearest known key is 'training.global_batch'");
  expect_refusal(mpirun(3) + train(folder_ / "run", 1),
                 "Training was started on 3 ranks, but a batch holds only 2 images");
  expect_refusal(train(folder_ / "run", 1, "--weights " + (folder_ / "none.safetensors").string()), "none.safetensors");
  expect_refusal(kBinary + " train " + (folder_ / "none.h5").string() + " --output " + (folder_ / "run").string(),
                 "none.h5");
  EXPECT_FALSE(fs::exists(folder_ / "run"));
  fs::create_directory(folder_ / "taken");
  write_text(folder_ / "taken" / "notes.txt", "mine");
  expect_refusal_on_1_and_2(train(folder_ / "taken", 1),
                            "is not empty, and nothing in it is overwritten. Add --resume");
}

TEST_F(Train, StopsWithOneMessageWhenTheLossIsNotFinite) {
  const std::string diverging = "--set optimizer.learning_rate=1e30",
                    message = "the loss is not finite in epoch 1, step 2 of 2";
  expect_refusal(train(folder_ / "alone", 3, diverging), message);
  expect_refusal(mpirun(2) + train(folder_ / "two", 3, diverging), message);
  for (const char* run : {"alone", "two"})
    for (const auto& entry : fs::directory_iterator(folder_ / run))
      EXPECT_NE(entry.path().extension(), ".safetensors") << entry.path();
}

TEST_F(Train, RefusesDamagedAndForeignCheckpoints) {
  const ProcessResult trained = run_process(train(folder_ / "run", 1));
  ASSERT_EQ(trained.exit_code, 0) << trained.output;
  const fs::path snapshot = folder_ / "run" / "snapshot-001.safetensors", bad = folder_ / "run" / "bad.safetensors";
  const std::string good = read_text(snapshot);
  const std::string resume = train(folder_ / "run", 2, "--resume " + bad.string());
  const std::string evaluate = kBinary + " evaluate " + bad.string() + " " + data_.string();

  write_text(bad, good.substr(0, good.size() / 2));
  expect_refusal_on_1_and_2(resume, "bad.safetensors");
  expect_refusal_on_1_and_2(evaluate, "bad.safetensors");
  std::string flipped = good;
  flipped[good.size() / 2] ^= 4;
  write_text(bad, flipped);
  expect_refusal_on_1_and_2(resume, "The file is damaged");
  expect_refusal_on_1_and_2(evaluate, "The file is damaged");

  write_text(bad, good);
  expect_refusal(train(folder_ / "run", 2, "--set training.seed=7 --resume " + bad.string()),
                 "the checkpoint has seed 42, this run has 7");
  expect_refusal(train(folder_ / "run", 2, "--set training.global_batch=3 --resume " + bad.string()),
                 "global batch 2, this run has 3");
  // A project with another bodypart.
  for (const auto& entry : fs::recursive_directory_iterator(project_))
    if (entry.is_regular_file() && entry.path().extension() != ".png")
      while (replace_in_file(entry.path(), "tail", "paw")) {
      }
  fs::remove(data_);
  pack(project_, data_);
  expect_refusal_on_1_and_2(resume, "the checkpoint has bodyparts [nose, tail], this run has [nose, paw]");
  expect_refusal_on_1_and_2(evaluate, "was trained on the bodyparts");
  EXPECT_EQ(read_text(snapshot), good);
}

TEST_F(Train, AFullDiskEndsTheRunAndLeavesNothingHalfWritten) {
  const fs::path disk = folder_ / "disk";
  fs::create_directory(disk);
  for (const std::string& ranks : {std::string(), mpirun(2)}) {
    const SmallMount mount(disk, SmallMount::Kind::kFull);
    if (!mount.mounted()) GTEST_SKIP() << "mounting a tmpfs is not permitted here";
    expect_refusal(ranks + train(disk / "run", 1), "snapshot-");
    for (const auto& entry : fs::directory_iterator(disk / "run"))
      EXPECT_NE(entry.path().extension(), ".safetensors") << entry.path();
  }
}

TEST_F(Train, AReadOnlyOutputIsRefusedBeforeTraining) {
  const fs::path locked = folder_ / "locked";
  fs::create_directory(locked);
  const SmallMount mount(locked, SmallMount::Kind::kReadOnly);
  if (!mount.mounted()) GTEST_SKIP() << "mounting is not permitted here";
  expect_refusal_on_1_and_2(train(locked / "run", 1), (locked / "run").string());
  expect_refusal_on_1_and_2(train(locked, 1), "run.yaml");
  EXPECT_TRUE(fs::is_empty(locked));
}

}  // namespace
}  // namespace ringpose::tests
