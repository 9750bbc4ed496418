// ringpose label: a video with its predictions drawn into it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "analysis/drawing_facts.hpp"
#include "analysis/labelled_video.hpp"
#include "analysis/prediction_writer.hpp"
#include "analysis/scorer_name.hpp"
#include "analysis/video_index.hpp"
#include "data/dlc_project.hpp"
#include "data/error.hpp"
#include "launch/commands/command.hpp"
#include "launch/json_report.hpp"
#include "launch/run_folder.hpp"
#include "launch/terminal.hpp"
#include "trainer/checkpoint.hpp"

namespace ringpose::launch {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLabelExamples =
    R"(Draws a dot where the likelihood is above pcutoff, a line where both its ends have a dot, and with --trailpoints the dots of
earlier frames. Skeleton and colours come from --config, --model, or the file <video><scorer>_ringpose.json that 'ringpose analyze'
writes, in this order; single settings can be given here. Writes <video><scorer>_p60_labeled.mp4 (60: pcutoff 0.6).

Examples:
  ringpose label video.mp4
  ringpose label video.mp4 --pcutoff 0.4 --trailpoints 10 --colormap viridis -o out.mp4
  ringpose label video.mp4 --predictions videoDLC_Resnet50_openfieldOct30shuffle1_snapshot_best-120.csv --config config.yaml)";

struct LabelArguments {
  std::string video;
  fs::path predictions;
  std::string model, config;
  fs::path output;
  std::string json_file;
  std::optional<double> pcutoff, alphavalue;
  std::optional<int> dotsize;
  std::optional<std::string> colormap, skeleton_color;
  bool no_skeleton = false;
  bool overwrite = false;
  analysis::LabelOptions options;
};

/// The one prediction file beside the video: <stem>DLC_*.h5, else .csv.
fs::path find_predictions(const fs::path& video) {
  const fs::path folder = video.has_parent_path() ? video.parent_path() : fs::path(".");
  const std::string start = video.stem().string() + "DLC_";
  for (const char* ending : {".h5", ".csv"}) {
    std::vector<fs::path> found;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error))
      if (entry.path().filename().string().starts_with(start) && entry.path().extension() == ending)
        found.push_back(entry.path());
    if (found.size() == 1) return found.front();
    if (found.size() > 1)
      throw data::ConfigError(
          fmt::format("{} prediction files belong to {}: choose one with --predictions, for example {}", found.size(),
                      video.string(), found.front().string()));
  }
  throw data::IoError(
      fmt::format("no predictions of {} found: expected {}*.h5 or .csv in {}. Run 'ringpose analyze' first, or name "
                  "the file with --predictions.",
                  video.string(), start, folder.string()));
}

/// Settings from the best source there is; says which on `source`.
analysis::DrawingFacts base_settings(const LabelArguments& arguments, const std::optional<analysis::Sidecar>& sidecar,
                                     std::string& source) {
  if (!arguments.config.empty()) {
    source = arguments.config;
    return analysis::drawing_facts(data::read_dlc_project(arguments.config).facts);
  }
  if (!arguments.model.empty()) {
    source = arguments.model;
    return analysis::drawing_facts(trainer::load_checkpoint(find_model_snapshot(arguments.model)).project);
  }
  const auto file = analysis::sidecar_path(arguments.predictions);
  if (sidecar) {
    source = file.string();
    return sidecar->drawing;
  }
  source = "DeepLabCut's defaults, without skeleton (no --config, no --model, no " + file.filename().string() + ")";
  return {};
}

/// The predictions of another video would be drawn in the wrong places. A renamed video is only remarked on.
void compare_video(const LabelArguments& arguments, const analysis::AnalysisFacts& analyzed) {
  const fs::path video = arguments.video;
  const auto index = analysis::index_video(video);
  if (index.width_px != analyzed.width_px || index.height_px != analyzed.height_px)
    throw data::FormatError(fmt::format(
        "the predictions {} were made from the video {} of {} x {} px, but {} has {} x {} px. Name the video "
        "that was analyzed, or analyze this one.",
        arguments.predictions.string(), analyzed.video, analyzed.width_px, analyzed.height_px, video.string(),
        index.width_px, index.height_px));
  std::error_code ignored;
  if (video.filename() != analyzed.video ||
      static_cast<std::int64_t>(fs::file_size(video, ignored)) != analyzed.video_bytes)
    fmt::print("note: {} is not the file that was analyzed ({}, {} bytes)\n", video.string(), analyzed.video,
               analyzed.video_bytes);
}

void apply_arguments(const LabelArguments& arguments, analysis::DrawingFacts& drawing) {
  if (arguments.pcutoff) drawing.pcutoff = *arguments.pcutoff;
  if (arguments.alphavalue) drawing.alphavalue = *arguments.alphavalue;
  if (arguments.dotsize) drawing.dotsize = *arguments.dotsize;
  if (arguments.colormap) drawing.colormap = *arguments.colormap;
  if (arguments.skeleton_color) drawing.skeleton_color = *arguments.skeleton_color;
}

fs::path output_file(const LabelArguments& arguments, double pcutoff) {
  if (!arguments.output.empty()) return arguments.output;
  return arguments.predictions.parent_path() /
         (arguments.predictions.stem().string() + analysis::labelled_ending(pcutoff));
}

nlohmann::json report_json(const LabelArguments& arguments, const analysis::PredictionTable& table,
                           const fs::path& output, const analysis::LabelReport& report) {
  nlohmann::json shown;
  for (std::size_t k = 0; k < table.bodyparts.size(); ++k) shown[table.bodyparts[k]] = report.shown_K[k];
  const auto& drawing = arguments.options.drawing;
  return {{"command", "label"},
          {"video", arguments.video},
          {"predictions", arguments.predictions.string()},
          {"output", output.string()},
          {"frames", report.frames},
          {"shown_frames", shown},
          {"pcutoff", drawing.pcutoff},
          {"colormap", drawing.colormap},
          {"dotsize", drawing.dotsize},
          {"alphavalue", drawing.alphavalue},
          {"trailpoints", arguments.options.trailpoints},
          {"skeleton", arguments.options.draw_skeleton ? nlohmann::json(drawing.links) : nlohmann::json::array()},
          {"codec", arguments.options.codec}};
}

int run_label(LabelArguments arguments) {
  if (arguments.predictions.empty()) arguments.predictions = find_predictions(arguments.video);
  const auto table = analysis::read_predictions(arguments.predictions);
  const auto sidecar = analysis::read_sidecar(analysis::sidecar_path(arguments.predictions));
  if (sidecar) compare_video(arguments, sidecar->analysis);
  std::string source;
  auto& options = arguments.options;
  options.drawing = base_settings(arguments, sidecar, source);
  apply_arguments(arguments, options.drawing);
  options.draw_skeleton = !arguments.no_skeleton;
  const fs::path output = output_file(arguments, options.drawing.pcutoff);
  std::error_code ignored;
  if (fs::equivalent(output, arguments.video, ignored))
    throw data::ConfigError(
        fmt::format("the labelled video would replace the video {}: choose another name with -o", arguments.video));
  const analysis::FramePainter checks_names(table, options);  // before the output is looked at
  if (fs::exists(output) && !arguments.overwrite)
    throw data::ConfigError(
        fmt::format("cannot write {}: it is there already, perhaps with other predictions or settings. Add --overwrite "
                    "to replace it, or choose another name with -o.",
                    output.string()));
  fmt::print("predictions: {}\nsettings: {}\n", arguments.predictions.string(), source);
  const bool terminal = output_is_terminal();
  const auto progress = [&](std::int64_t done) {
    if (!terminal || (done % 50 != 0 && done != table.frames)) return;
    fmt::print("\rframe {}/{}{}", done, table.frames, done == table.frames ? "\n" : "");
    std::fflush(stdout);
  };
  const auto report = analysis::write_labelled_video(arguments.video, table, options, output, progress);
  const auto& displayed = options.displayed;
  for (std::size_t k = 0; k < table.bodyparts.size(); ++k)
    if (displayed.empty() || std::find(displayed.begin(), displayed.end(), table.bodyparts[k]) != displayed.end())
      fmt::print("{}: drawn in {} of {} frames (likelihood > {})\n", table.bodyparts[k], report.shown_K[k],
                 report.frames, options.drawing.pcutoff);
  fmt::print("labelled video: {}\n", output.string());
  write_json_report(arguments.json_file, report_json(arguments, table, output, report));
  return 0;
}

void add_drawing_options(CLI::App& app, LabelArguments& arguments) {
  app.add_option("--pcutoff", arguments.pcutoff, "Likelihood above which a point is drawn")
      ->check(CLI::Range(0.0, 1.0));
  app.add_option("--trailpoints", arguments.options.trailpoints, "Earlier frames to draw as a trail")
      ->check(CLI::Range(0, 10000))
      ->capture_default_str();
  app.add_option("--dotsize", arguments.dotsize, "Radius of a dot in px")->check(CLI::Range(1, 1000));
  app.add_option("--alphavalue", arguments.alphavalue, "Opacity of dots and lines, 0 to 1")
      ->check(CLI::Range(0.0, 1.0));
  app.add_option("--colormap", arguments.colormap,
                 fmt::format("matplotlib's name: {}; with _r reversed", fmt::join(analysis::colormap_names(), ", ")));
  app.add_flag("--no-skeleton", arguments.no_skeleton, "Draw no lines");
  app.add_option("--skeleton-color", arguments.skeleton_color, "Name or #rrggbb");
  app.add_option("--displayedbodyparts", arguments.options.displayed, "Draw these bodyparts only");
  app.add_option("--codec", arguments.options.codec, "mpeg4 (DeepLabCut's mp4v) or libx264 (avc1, for browsers)")
      ->check(CLI::IsMember({"mpeg4", "libx264"}))
      ->capture_default_str();
}

}  // namespace

Command add_label(CLI::App& root) {
  auto arguments = std::make_shared<LabelArguments>();
  Command command;
  command.app = root.add_subcommand("label", "Draw predictions into their video.");
  CLI::App& app = *command.app;
  app.footer(kLabelExamples);
  app.add_option("VIDEO", arguments->video, "The video that was analyzed")->required();
  app.add_option("--predictions", arguments->predictions,
                 "Prediction file, .h5 or .csv (default: the one beside the video)");
  app.add_option("--config", arguments->config, "DeepLabCut project: skeleton, colours, pcutoff from its config.yaml");
  app.add_option("--model", arguments->model, "Snapshot or run folder: the same from the project it was trained on");
  app.add_option("-o,--output", arguments->output, "Name of the labelled video: .mp4, .mov, .avi or .mkv");
  add_drawing_options(app, *arguments);
  app.add_flag("--overwrite", arguments->overwrite, "Replace an existing labelled video");
  app.add_option("--json", arguments->json_file, "Write the report to this file");
  command.paths = [arguments] {
    return CommandPaths{{{"VIDEO", arguments->video},
                         {"--predictions", arguments->predictions},
                         {"--config", arguments->config},
                         {"--model", arguments->model}},
                        {{"-o", arguments->output}},
                        {}};
  };
  command.run = [arguments](const Context&) { return run_label(*arguments); };
  return command;
}

}  // namespace ringpose::launch
