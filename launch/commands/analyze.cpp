// ringpose analyze: keypoints of every frame of videos, on one or several ranks.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "analysis/scorer_name.hpp"
#include "data/atomic_file.hpp"
#include "data/error.hpp"
#include "launch/analysis_run.hpp"
#include "launch/commands/command.hpp"
#include "launch/json_report.hpp"
#include "launch/run_folder.hpp"
#include "launch/terminal.hpp"
#include "mpi/collectives.hpp"
#include "mpi/device.hpp"
#include "mpi/placement.hpp"
#include "trainer/device.hpp"
#include "trainer/file_digest.hpp"
#include "trainer/snapshots.hpp"

namespace ringpose::launch {
namespace {

constexpr const char* kAnalyzeExamples =
    R"(Writes beside each video (or into --destfolder) DeepLabCut's files <video><scorer>.h5 and .csv, and
<video><scorer>_ringpose.json with what 'ringpose label' needs to draw. The frames are split over the ranks; the files do not
depend on the number of ranks. A video that this network analyzed already is skipped unless --overwrite is given.

Examples:
  ringpose analyze video.mp4 --model run1/snapshot-best-180.safetensors
  ringpose analyze video.mp4 --model run1                 (the run's best snapshot)
  mpirun -n 2 ringpose analyze a.mp4 b.mp4 --model run1 --destfolder results --json report.json)";

struct AnalyzeArguments {
  std::vector<std::string> videos;
  std::string model;
  std::string device = "auto";
  std::string json_file;
  bool fp32 = false;
  int threads_per_rank = 1;
  AnalysisRunOptions run;
};

std::string scorer_of(const trainer::Checkpoint& checkpoint, const std::filesystem::path& file) {
  const auto name = trainer::parse_snapshot_name(file.filename().string());
  const bool best = name ? name->best : checkpoint.exp_avg.empty();
  return analysis::scorer_name(checkpoint.net_type, checkpoint.project, analysis::snapshot_uid(checkpoint.epoch, best));
}

trainer::DeviceChoice device_choice(const std::string& name) {
  if (name == "cpu") return trainer::DeviceChoice::cpu;
  return name == "cuda" ? trainer::DeviceChoice::cuda : trainer::DeviceChoice::automatic;
}

/// Collective. CUDA device of this rank, -1 for the CPU; sets PyTorch's switches.
int choose_device(const AnalyzeArguments& arguments, const mpi::Communicator& world) {
  const mpi::Placement placement = mpi::place_rank(world);
  const bool cuda = trainer::choose_device(placement, device_choice(arguments.device)).is_cuda();
  const auto precision = arguments.fp32 ? trainer::Precision::fp32 : trainer::Precision::tf32;
  trainer::configure_numerics({precision, true, arguments.threads_per_rank});
  if (!mpi::all_equal(world, cuda ? 1 : 0))
    throw data::ConfigError("some ranks see a GPU and others do not: give every rank one, or use --device cpu");
  if (!cuda) return -1;
  mpi::set_device(placement.device_ordinal);
  return placement.device_ordinal;
}

/// Before the first video is analyzed: a name that is wrong would otherwise be found hours later.
void require_usable_videos(const AnalyzeArguments& arguments) {
  std::set<std::filesystem::path> outputs;
  for (const std::string& video : arguments.videos) {
    errno = 0;
    std::error_code error;
    const bool folder = std::filesystem::is_directory(video, error);
    if (folder || !std::ifstream(video))
      throw data::IoError(data::io_message("read the video", video, folder ? EISDIR : errno));
    const auto file = planned_files(video, arguments.run).h5_file;
    if (!outputs.insert(file).second)
      throw data::ConfigError(fmt::format(
          "two videos would be written to {}: give each its own --destfolder, or rename one", file.string()));
  }
}

/// One line, rewritten in a terminal, every few seconds elsewhere.
class ProgressLine {
 public:
  void show(std::int64_t done, std::int64_t total) {
    using std::chrono::duration;
    const auto now = std::chrono::steady_clock::now();
    const bool terminal = output_is_terminal();
    if (done < total && duration<double>(now - shown_).count() < (terminal ? 0.2 : 10)) return;
    shown_ = now;
    const double seconds = duration<double>(now - begin_).count();
    const double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
    fmt::print("{}frame {}/{}, {:.1f} frames/s, {:.0f} s left{}", terminal ? "\r" : "", done, total, rate,
               rate > 0 ? static_cast<double>(total - done) / rate : 0.0, terminal && done < total ? "   " : "\n");
    std::fflush(stdout);
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point shown_;
};

nlohmann::json result_json(const VideoResult& result, bool csv) {
  return {{"video", result.video.string()},
          {"skipped", result.skipped},
          {"frames", result.frames},
          {"seconds", result.seconds},
          {"frames_per_s", result.seconds > 0 ? static_cast<double>(result.frames) / result.seconds : 0.0},
          {"h5", result.h5_file.string()},
          {"csv", csv ? nlohmann::json(result.csv_file.string()) : nlohmann::json()},
          {"sidecar", result.sidecar_file.string()}};
}

void print_result(const VideoResult& result) {
  if (result.skipped)
    fmt::print("{}: already analyzed ({} is there); use --overwrite to do it again\n", result.video.string(),
               result.h5_file.string());
  else
    fmt::print("{}: {} frames in {:.1f} s ({:.1f} frames/s) -> {}\n", result.video.string(), result.frames,
               result.seconds, static_cast<double>(result.frames) / result.seconds, result.h5_file.string());
}

int run_analyze(AnalyzeArguments arguments, const Context& context) {
  const mpi::Communicator& world = context.world;
  const bool speaks = world.rank() == 0;
  const auto file = find_model_snapshot(arguments.model);
  const trainer::Checkpoint checkpoint = trainer::load_checkpoint(file);
  const int device = choose_device(arguments, world);
  arguments.run.checkpoint = file.filename().string();
  if (speaks) arguments.run.checkpoint_sha256 = trainer::sha256_of_file(file);
  arguments.run.scorer = scorer_of(checkpoint, file);
  arguments.run.device = device >= 0 ? mpi::device_name(device) : "cpu";
  arguments.run.precision = device >= 0 && !arguments.fp32 ? "tf32" : "fp32";
  if (speaks) require_usable_videos(arguments);
  if (speaks)
    fmt::print("scorer: {}; {} rank(s), batch {}, device {}\n", arguments.run.scorer, world.size(), arguments.run.batch,
               arguments.run.device);
  analysis::Predictor predictor(checkpoint, {arguments.run.batch, device, !arguments.fp32});
  nlohmann::json videos = nlohmann::json::array();
  for (const std::string& video : arguments.videos) {
    ProgressLine line;
    const auto progress = [&](std::int64_t done, std::int64_t total) { line.show(done, total); };
    const VideoResult result = analyze_video(video, checkpoint, predictor, arguments.run, world, progress);
    if (!speaks) continue;
    print_result(result);
    videos.push_back(result_json(result, arguments.run.csv));
  }
  if (speaks)
    write_json_report(arguments.json_file, {{"command", "analyze"},
                                            {"checkpoint", file.string()},
                                            {"scorer", arguments.run.scorer},
                                            {"ranks", world.size()},
                                            {"batch", arguments.run.batch},
                                            {"device", arguments.run.device},
                                            {"precision", arguments.run.precision},
                                            {"videos", videos}});
  return 0;
}

}  // namespace

Command add_analyze(CLI::App& root) {
  auto arguments = std::make_shared<AnalyzeArguments>();
  Command command;
  command.app = root.add_subcommand("analyze", "Find the keypoints in every frame of videos.");
  command.parallel = true;
  CLI::App& app = *command.app;
  app.footer(kAnalyzeExamples);
  app.add_option("VIDEO", arguments->videos, "Video files with a constant frame rate")->required();
  app.add_option("--model", arguments->model, "Snapshot file, or a run folder (its best snapshot)")->required();
  app.add_option("--batch", arguments->run.batch, "Frames per forward pass")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  app.add_option("--destfolder", arguments->run.destination,
                 "Folder for the results; made when missing (default: beside the video)");
  app.add_flag("--csv,!--no-csv", arguments->run.csv, "Write the CSV file as well (default: yes)");
  app.add_flag("--overwrite", arguments->run.overwrite, "Analyze again what is analyzed already");
  app.add_option("--device", arguments->device, "auto takes a GPU where there is one")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
      ->capture_default_str();
  app.add_flag("--fp32", arguments->fp32, "Full float32 on the GPU (default: TF32 convolutions, PyTorch's default)");
  app.add_option("--threads-per-rank", arguments->threads_per_rank,
                 "CPU threads of the network in each rank; the last digits may depend on it, so the default is fixed")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_option("--decoder-threads", arguments->run.decoder_threads, "Video decoder threads in each rank")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  app.add_option("--json", arguments->json_file, "Write the report to this file");
  command.paths = [arguments] {
    CommandPaths paths{{{"--model", arguments->model}}, {}, {}};
    for (const std::string& video : arguments->videos) paths.inputs.push_back({"VIDEO", video});
    return paths;
  };
  command.run = [arguments](const Context& context) { return run_analyze(*arguments, context); };
  return command;
}

}  // namespace ringpose::launch
