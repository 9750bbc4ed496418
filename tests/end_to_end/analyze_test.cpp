// ringpose analyze, label and plot through the real binary: equal files for any number of ranks, and one clear message
// for each bad input.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <torch/nn/module.h>
#include <torch/utils.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "analysis/prediction_writer.hpp"
#include "analysis/video_index.hpp"
#include "tests/support/numbered_video.hpp"
#include "tests/support/process.hpp"
#include "tests/support/report_names.hpp"
#include "tests/support/small_mount.hpp"
#include "tests/support/temporary_folder.hpp"
#include "trainer/checkpoint.hpp"
#include "trainer/pose_model.hpp"

namespace ringpose {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using tests::SmallMount;

constexpr int kFrames = 45;  // not a multiple of the batch
const std::string kScorer = "DLC_Resnet18_faceNov30shuffle1_snapshot_best-7";

std::string bytes_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

/// A resnet_18 whose random norms and heads make every layer count.
void write_checkpoint(const fs::path& path) {
  trainer::PoseModelOptions options;
  options.net_type = "resnet_18";
  options.keypoints = 3;
  trainer::PoseModel model(options);
  const torch::NoGradGuard no_gradients;
  trainer::Checkpoint checkpoint;
  for (auto& entry : model.named_parameters()) {
    if (entry.value().dim() == 1 && entry.key().find("weight") != std::string::npos) entry.value().uniform_(0.5, 1.5);
    if (entry.value().dim() > 1 && entry.key().find("heads") != std::string::npos) entry.value().normal_(0, 0.05);
    checkpoint.model.emplace_back(entry.key(), entry.value());
  }
  for (auto& entry : model.named_buffers()) checkpoint.model.emplace_back(entry.key(), entry.value());
  checkpoint.net_type = options.net_type;
  checkpoint.epoch = checkpoint.best_epoch = 7;
  checkpoint.project.task = "face";
  checkpoint.project.date = "Nov30";
  checkpoint.project.skeleton.bodyparts = {"lefteye", "righteye", "nose"};
  checkpoint.project.skeleton.links = {{0, 2}, {1, 2}};
  trainer::save_checkpoint(path, checkpoint);
}

/// Video and checkpoint are made once.
class Analyze : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    shared_ = new tests::TemporaryFolder;
    write_checkpoint(model());
    analysis::VideoWriterOptions coded;
    coded.codec = "libx264";
    coded.gop_frames = 12;
    tests::write_numbered_video(video(), kFrames, coded);
  }
  static void TearDownTestSuite() {
    delete shared_;
    shared_ = nullptr;
  }
  static fs::path model() { return *shared_ / "snapshot-best-007.safetensors"; }
  static fs::path video() { return *shared_ / "v.mp4"; }

  void SetUp() override { fs::create_directory(output_); }

  static tests::ProcessResult run(int ranks, const std::string& arguments) {
    return tests::run_process((ranks > 1 ? tests::mpirun(ranks) : std::string()) + RINGPOSE_BINARY + " " + arguments);
  }
  [[nodiscard]] tests::ProcessResult analyze(const fs::path& video, int ranks = 1, const std::string& more = "") const {
    return run(ranks, "analyze '" + video.string() + "' --model " + model().string() + " --device cpu --destfolder " +
                          output_.string() + " " + more);
  }
  /// One message, a non-zero exit code, nothing left; also with two ranks, of which none may stay behind (mpirun would
  /// not end).
  void refuses(const fs::path& video, const testing::Matcher<std::string>& words, const std::string& more = "") const {
    for (const int ranks : {1, 2}) {
      const auto result = analyze(video, ranks, more);
      EXPECT_NE(result.exit_code, 0) << result.output;
      EXPECT_LT(result.exit_code, 128) << "killed: " << result.output;
      EXPECT_THAT(result.output, AllOf(HasSubstr("ringpose: "), words));
      const auto first = result.output.find("ringpose: ");
      EXPECT_EQ(result.output.find("\nringpose: ", first), std::string::npos) << "more than one: " << result.output;
      EXPECT_THAT(names_in(output_), testing::IsEmpty());
    }
  }
  [[nodiscard]] std::string to_json() const { return " --json " + report_file_.string(); }
  /// What to_json() made the last command write, after comparing its names with their documentation.
  [[nodiscard]] nlohmann::json documented_report(const std::string& command) const {
    auto report = nlohmann::json::parse(bytes_of(report_file_));
    tests::expect_documented(command, report);
    return report;
  }
  [[nodiscard]] fs::path result(const std::string& ending) const { return output_ / ("v" + kScorer + ending); }

  static tests::TemporaryFolder* shared_;
  tests::TemporaryFolder folder_;
  fs::path output_ = folder_ / "out";
  fs::path report_file_ = folder_ / "report.json";
};

tests::TemporaryFolder* Analyze::shared_ = nullptr;

TEST_F(Analyze, FilesDoNotDependOnTheNumberOfRanks) {
  ASSERT_EQ(analyze(video(), 1, "--json " + (folder_ / "r.json").string()).exit_code, 0);
  const std::string csv = bytes_of(result(".csv")), h5 = bytes_of(result(".h5")),
                    sidecar = bytes_of(result("_ringpose.json"));
  const auto table = analysis::read_prediction_csv(result(".csv"));
  EXPECT_EQ(table.frames, kFrames);
  EXPECT_THAT(table.bodyparts, testing::ElementsAre("lefteye", "righteye", "nose"));
  EXPECT_EQ(table.scorer, kScorer);
  EXPECT_EQ(analysis::read_prediction_h5(result(".h5")).values_FK3, table.values_FK3);
  for (const int ranks : {2, 3}) {
    const auto again = analyze(video(), ranks, "--overwrite");
    ASSERT_EQ(again.exit_code, 0) << again.output;
    EXPECT_TRUE(bytes_of(result(".csv")) == csv) << ranks << " ranks";
    EXPECT_TRUE(bytes_of(result(".h5")) == h5) << ranks << " ranks";
    EXPECT_TRUE(bytes_of(result("_ringpose.json")) == sidecar) << ranks << " ranks";
  }
  const auto report = nlohmann::json::parse(bytes_of(folder_ / "r.json"));
  tests::expect_documented("analyze", report);
  EXPECT_EQ(report.at("scorer"), kScorer);
  EXPECT_EQ(report.at("videos").at(0).at("frames"), kFrames);
}

TEST_F(Analyze, SkipsWhatIsThereUnlessToldOtherwise) {
  ASSERT_EQ(analyze(video()).exit_code, 0);
  for (const char* ending : {".h5", ".csv"}) std::ofstream(result(ending)) << "old";
  const auto skipped = analyze(video(), 2, to_json());
  ASSERT_EQ(skipped.exit_code, 0) << skipped.output;
  EXPECT_EQ(documented_report("analyze").at("videos").at(0).at("skipped"), true);
  EXPECT_THAT(skipped.output, HasSubstr("already analyzed"));
  EXPECT_EQ(bytes_of(result(".h5")), "old");
  ASSERT_EQ(analyze(video(), 1, "--overwrite --no-csv" + to_json()).exit_code, 0);
  EXPECT_TRUE(documented_report("analyze").at("videos").at(0).at("csv").is_null());
  EXPECT_EQ(analysis::read_prediction_h5(result(".h5")).frames, kFrames);
  EXPECT_FALSE(fs::exists(result(".csv"))) << "another analysis' file beside the new one";
}

TEST_F(Analyze, RefusesFilesOfAnotherNetworkOrVideo) {
  ASSERT_EQ(analyze(video(), 1, "--no-csv").exit_code, 0);
  const std::string h5 = bytes_of(result(".h5"));
  const fs::path other = folder_ / "other" / model().filename();
  fs::create_directory(other.parent_path());
  write_checkpoint(other);  // other random weights under the same name
  const auto kept = [&](const std::string& why, const std::string& arguments,
                        const testing::Matcher<std::string>& words) {
    const auto refused = run(2, "analyze " + arguments + " --no-csv --device cpu --destfolder " + output_.string());
    EXPECT_EQ(refused.exit_code, 1) << why;
    EXPECT_THAT(refused.output, AllOf(words, HasSubstr("--overwrite"))) << why;
    EXPECT_TRUE(bytes_of(result(".h5")) == h5) << why;
  };
  kept("network", video().string() + " --model " + other.string(), HasSubstr("another network"));
  const fs::path same_name = folder_ / "v.mp4";
  tests::write_numbered_video(same_name, kFrames - 1, {});
  kept("video", same_name.string() + " --model " + model().string(), HasSubstr("another video"));
  fs::remove(result("_ringpose.json"));
  kept("sidecar", video().string() + " --model " + model().string(), HasSubstr("unknown from which network"));
}

TEST_F(Analyze, LooksAtAllVideosAndTheReportFirst) {
  const auto missing = run(2, "analyze " + video().string() + " " + (folder_ / "none.mp4").string() + " --model " +
                                  model().string() + " --device cpu --destfolder " + output_.string());
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_THAT(missing.output, AllOf(HasSubstr("none.mp4"), HasSubstr("No such file")));
  EXPECT_THAT(names_in(output_), testing::IsEmpty());
  fs::create_directory(report_file_);
  const auto report = analyze(video(), 2, to_json());
  EXPECT_EQ(report.exit_code, 1);
  EXPECT_THAT(report.output, HasSubstr(report_file_.string()));
  EXPECT_THAT(names_in(output_), testing::IsEmpty());
}

TEST_F(Analyze, LabelRefusesWhatItCannotDrawAsAsked) {
  fs::copy(video(), output_ / "v.mp4");
  ASSERT_EQ(analyze(output_ / "v.mp4").exit_code, 0);
  const std::string label = "label " + (output_ / "v.mp4").string();
  ASSERT_EQ(run(1, label).exit_code, 0);
  const auto unknown = run(1, label + " --displayedbodyparts tail");  // the labelled video is there already
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_THAT(unknown.output, HasSubstr("unknown bodypart 'tail'"));
  std::ofstream(folder_ / "mine.mp4") << "mine";
  const auto there = run(1, label + " -o " + (folder_ / "mine.mp4").string());
  EXPECT_EQ(there.exit_code, 1);
  EXPECT_THAT(there.output, AllOf(HasSubstr("already"), HasSubstr("--overwrite")));
  EXPECT_EQ(bytes_of(folder_ / "mine.mp4"), "mine");
  const auto report = run(1, label + " --overwrite --json " + (output_ / "v.mp4").string());
  EXPECT_EQ(report.exit_code, 1);
  EXPECT_THAT(report.output, HasSubstr("would be overwritten"));
  EXPECT_TRUE(bytes_of(output_ / "v.mp4") == bytes_of(video()));
  std::string sidecar = bytes_of(result("_ringpose.json"));
  const std::string width = "\"width_px\": ";
  sidecar.insert(sidecar.find(width) + width.size(), "1");
  std::ofstream(result("_ringpose.json")) << sidecar;
  const auto size = run(1, label + " --overwrite");
  EXPECT_EQ(size.exit_code, 1);
  EXPECT_THAT(size.output, HasSubstr("were made from the video"));
}

TEST_F(Analyze, LabelAndPlotFindEverythingBesideTheVideo) {
  fs::copy(video(), output_ / "v.mp4");
  ASSERT_EQ(analyze(output_ / "v.mp4").exit_code, 0);
  const std::string label = "label " + (output_ / "v.mp4").string() + " --trailpoints 3" + to_json();
  const auto labelled = run(1, label);
  ASSERT_EQ(labelled.exit_code, 0) << labelled.output;
  EXPECT_EQ(documented_report("label").at("frames"), kFrames);
  const auto again = run(1, label);  // may show other predictions or settings: not what was asked for
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_THAT(again.output, AllOf(HasSubstr("is there already"), HasSubstr("--overwrite")));
  EXPECT_EQ(analysis::index_video(result("_p60_labeled.mp4")).size(), kFrames);
  const auto plotted = run(1, "plot " + result(".h5").string() + " -o " + (output_ / "p.png").string() + to_json());
  ASSERT_EQ(plotted.exit_code, 0) << plotted.output;
  (void)documented_report("plot");
  EXPECT_THAT(bytes_of(output_ / "p.png"), testing::StartsWith("\x89PNG"));
  std::ofstream(output_ / "p.png") << "a labelled image";
  const auto over = run(1, "plot " + result(".h5").string() + " -o " + (output_ / "p.png").string());
  EXPECT_EQ(over.exit_code, 1);
  EXPECT_THAT(over.output, AllOf(HasSubstr("is there already"), HasSubstr("--overwrite")));
  EXPECT_EQ(bytes_of(output_ / "p.png"), "a labelled image");
  const auto replaced = run(1, "label " + (output_ / "v.mp4").string() + " -o " + (output_ / "v.mp4").string());
  EXPECT_NE(replaced.exit_code, 0);
  EXPECT_EQ(analysis::index_video(output_ / "v.mp4").size(), kFrames) << "the video itself was overwritten";
}

TEST_F(Analyze, RefusesWhatIsNoVideo) {
  refuses(folder_ / "none.mp4", HasSubstr("No such file"));
  std::ofstream(folder_ / "text.mp4") << "no video";
  refuses(folder_ / "text.mp4", HasSubstr("not a video"));
  const std::ofstream empty(folder_ / "empty.mp4");
  refuses(folder_ / "empty.mp4", HasSubstr("cannot open the video"));
}

TEST_F(Analyze, RefusesAPipeInsteadOfWaitingForIt) {
  ASSERT_EQ(::mkfifo((folder_ / "pipe.mp4").c_str(), 0600), 0);
  refuses(folder_ / "pipe.mp4", HasSubstr("pipe or device"));
}

TEST_F(Analyze, RefusesAReportThatIsTheVideo) {
  const std::string before = bytes_of(video());
  refuses(video(), HasSubstr("also VIDEO"), "--json " + video().string());
  EXPECT_EQ(bytes_of(video()), before);
}

TEST_F(Analyze, RefusesATruncatedVideo) {
  std::ofstream(folder_ / "cut.mp4", std::ios::binary) << bytes_of(video()).substr(0, fs::file_size(video()) / 2);
  refuses(folder_ / "cut.mp4", HasSubstr("cut off before its index was written"));
}

TEST_F(Analyze, RefusesAVideoThatBreaksInTheMiddle) {
  std::string bytes = bytes_of(video());
  for (std::size_t i = bytes.size() / 3; i < bytes.size() / 3 + 3000; ++i) bytes[i] = static_cast<char>(i * 37);
  std::ofstream(folder_ / "broken.mp4", std::ios::binary) << bytes;
  refuses(folder_ / "broken.mp4", HasSubstr("cannot decode frame"));
}

TEST_F(Analyze, RefusesAMissingOrForeignModel) {
  for (const int ranks : {1, 2})
    for (const char* name : {"none.safetensors", "foreign.safetensors"}) {
      std::ofstream(folder_ / "foreign.safetensors") << "foreign";
      const auto result = run(ranks, "analyze " + video().string() + " --model " + (folder_ / name).string() +
                                         " --destfolder " + output_.string());
      EXPECT_NE(result.exit_code, 0);
      EXPECT_THAT(result.output, AllOf(HasSubstr("ringpose: "), HasSubstr(name)));
      EXPECT_THAT(names_in(output_), testing::IsEmpty());
    }
}

TEST_F(Analyze, ReadOnlyFolder) {
  const SmallMount disk(output_, SmallMount::Kind::kReadOnly);
  if (!disk.mounted()) GTEST_SKIP() << "mounting a read-only folder is not permitted here";
  refuses(video(), HasSubstr("read-only"));
}

TEST_F(Analyze, FullDisk) {
  const SmallMount disk(output_, SmallMount::Kind::kFull);
  if (!disk.mounted()) GTEST_SKIP() << "mounting a small disk is not permitted here";
  std::ofstream(output_ / "filler") << std::string(std::size_t{58} << 10, 'x');
  for (const int ranks : {1, 2}) {
    const auto result = analyze(video(), ranks);
    EXPECT_NE(result.exit_code, 0);
    EXPECT_THAT(result.output, HasSubstr("No space left on device"));
    EXPECT_THAT(names_in(output_), testing::ElementsAre("filler"));
  }
}

}  // namespace
}  // namespace ringpose
