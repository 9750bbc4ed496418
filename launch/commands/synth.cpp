// ringpose synth: a complete DeepLabCut project with a synthetic video, for demos, trials and tests.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "launch/commands/command.hpp"
#include "launch/json_report.hpp"
#include "launch/synthetic_project.hpp"
#include "launch/terminal.hpp"

namespace ringpose::launch {
namespace {

constexpr const char* kSynthExamples =
    R"(Writes FOLDER/<task>-<scorer>-<date>: config.yaml, a video, labelled images and ground-truth.csv. An existing project
is refused. The same options and seed give the same video, images and labels. ground-truth.csv has a row for each frame:
frame (from 0), phase (still, running, blink), then <part>_x, <part>_y (px, at mid exposure, known behind a closed lid too)
and <part>_visible (1 or 0) of each bodypart. Left and right are those of the picture.

Examples:
  ringpose synth demo
  ringpose synth /tmp/trial --frames 900 --labelled 300 --width 640 --height 480 --seed 7
  ringpose synth /tmp/trial --task whiskers --scorer Ada --codec libx264 --json synth.json)";

struct SynthArguments {
  SyntheticProjectOptions project;
  std::string json_file;
};

nlohmann::json truth_json(const std::vector<data::FaceTruth>& truth) {
  const auto parts = data::face_skeleton().bodyparts;
  auto frames = nlohmann::json::array();
  for (std::size_t frame = 0; frame < truth.size(); ++frame) {
    nlohmann::json entry{{"frame", frame}, {"phase", data::face_phase_name(truth[frame].phase)}};
    for (int part = 0; part < data::kFaceParts; ++part)
      entry["parts"][parts[part]] = {{"x_px", truth[frame].positions[part].x_px},
                                     {"y_px", truth[frame].positions[part].y_px},
                                     {"visible", truth[frame].visible[part]}};
    frames.push_back(std::move(entry));
  }
  return frames;
}

nlohmann::json phase_counts(const SyntheticProject& project) {
  nlohmann::json counts;
  for (const data::FacePhase phase : data::kFacePhases) {
    const auto of_phase = [phase](const data::FaceTruth& frame) { return frame.phase == phase; };
    const auto labelled = [&](int frame) { return of_phase(project.truth[frame]); };
    counts[std::string(data::face_phase_name(phase))] = {
        {"frames", std::count_if(project.truth.begin(), project.truth.end(), of_phase)},
        {"labelled", std::count_if(project.labelled_frames.begin(), project.labelled_frames.end(), labelled)}};
  }
  return counts;
}

nlohmann::json report_json(const SyntheticProjectOptions& options, const SyntheticProject& project) {
  nlohmann::json missing;
  const auto parts = data::face_skeleton().bodyparts;
  for (std::size_t part = 0; part < parts.size(); ++part) missing[parts[part]] = project.missing_labels[part];
  return {{"command", "synth"},
          {"project", project.folder.string()},
          {"config", (project.folder / "config.yaml").string()},
          {"video", project.video.string()},
          {"ground_truth", project.ground_truth.string()},
          {"task", options.task},
          {"scorer", options.scorer},
          {"date", options.date},
          {"frames", options.video.frames},
          {"fps", options.video.fps},
          {"width_px", options.video.width_px},
          {"height_px", options.video.height_px},
          {"codec", options.codec},
          {"seed", options.video.seed},
          {"labelled_frames", project.labelled_frames},
          {"missing_labels", missing},
          {"phases", phase_counts(project)},
          {"truth", truth_json(project.truth)}};
}

void print_report(const nlohmann::json& report) {
  fmt::print("project: {}\n", report["project"].get<std::string>());
  fmt::print("video: {} ({} frames, {}x{}, {} frames/s, {})\n", report["video"].get<std::string>(),
             report["frames"].get<int>(), report["width_px"].get<int>(), report["height_px"].get<int>(),
             report["fps"].get<double>(), report["codec"].get<std::string>());
  for (const auto& [phase, counts] : report["phases"].items())
    fmt::print("{}: {} frames, {} labelled\n", phase, counts["frames"].get<int>(), counts["labelled"].get<int>());
  for (const auto& [part, count] : report["missing_labels"].items())
    fmt::print("{}: not labelled in {} of {} frames\n", part, count.get<int>(), report["labelled_frames"].size());
  fmt::print("ground truth of every frame: {}\n", report["ground_truth"].get<std::string>());
}

int run_synth(SynthArguments& arguments) {
  SyntheticProjectOptions& options = arguments.project;
  if (options.date.empty()) options.date = today();
  const bool terminal = output_is_terminal();
  const auto progress = [&](int drawn) {
    if (!terminal || (drawn % 20 != 0 && drawn != options.video.frames)) return;
    fmt::print("\rdrawing frame {}/{}{}", drawn, options.video.frames, drawn == options.video.frames ? "\n" : "");
    std::fflush(stdout);
  };
  const auto report = report_json(options, write_synthetic_project(options, progress));
  print_report(report);
  write_json_report(arguments.json_file, report);
  return 0;
}

}  // namespace

Command add_synth(CLI::App& root) {
  auto arguments = std::make_shared<SynthArguments>();
  SyntheticProjectOptions& project = arguments->project;
  Command command;
  command.app = root.add_subcommand("synth", "Write a complete DeepLabCut project with a synthetic mouse-face video.");
  CLI::App& app = *command.app;
  app.footer(kSynthExamples);
  app.add_option("FOLDER", project.parent, "Folder to make the project folder in; created when missing")->required();
  app.add_option("--task", project.task, "Project name, also the video's name")->capture_default_str();
  app.add_option("--scorer", project.scorer, "Name of the labeller")->capture_default_str();
  app.add_option("--date", project.date, "Project date, YYYY-MM-DD (default: today)");
  app.add_option("--frames", project.video.frames, "Frames of the video")->capture_default_str();
  app.add_option("--labelled", project.labelled, "Frames to label")->capture_default_str();
  app.add_option("--width", project.video.width_px, "Width in px, even")->capture_default_str();
  app.add_option("--height", project.video.height_px, "Height in px, even")->capture_default_str();
  app.add_option("--fps", project.video.fps, "Frames a second")->capture_default_str();
  app.add_option("--seed", project.video.seed, "Seed of motion, looks and noise")->capture_default_str();
  app.add_option("--codec", project.codec, "mpeg4 or libx264")
      ->check(CLI::IsMember({"mpeg4", "libx264"}))
      ->capture_default_str();
  app.add_option("--json", arguments->json_file, "Also write the report, with the ground truth, to this JSON file");
  command.paths = [] { return CommandPaths{}; };
  command.run = [arguments](const Context&) { return run_synth(*arguments); };
  return command;
}

}  // namespace ringpose::launch
