// ringpose pack: a DeepLabCut project to one packed file for training.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "data/packer.hpp"
#include "launch/commands/command.hpp"
#include "launch/json_report.hpp"
#include "launch/terminal.hpp"
#include "launch/version.hpp"

namespace ringpose::launch {
namespace {

constexpr const char* kPackExamples =
    R"(Reads config.yaml and every labeled-data/*/CollectedData_<scorer>.csv (single animal), and writes one HDF5 file that
'ringpose train' reads (data/FORMAT.md). Rows are numbered from 0 in DeepLabCut's order: by folder, then image name.
ROWS is a list of rows (7,27), ranges (0-9), a modulus (%20==7: each row whose number modulo 20 is 7) or @FILE with
one row a line, joined by commas. Without rows, the split is DeepLabCut's own with numpy's generator seeded: the first
int(n * TrainingFraction) rows of np.random.permutation(n) are trained on, the rest tested.

Examples:
  ringpose pack openfield-Pranav-2018-10-30 -o data.h5
  ringpose pack openfield-Pranav-2018-10-30 -o data.h5 --test-rows '%20==7'
  ringpose pack project/config.yaml -o data.h5 --seed 7 --codec raw --json pack.json)";

struct PackArguments {
  data::PackOptions options;
  std::string train_rows;
  std::string test_rows;
  std::string codec = "passthrough";
  std::string outside = "refuse";
  std::string json_file;
};

bool chosen_rows(const data::PackOptions& options) {
  return options.train_rows || options.test_rows;
}

nlohmann::ordered_json report_json(const data::PackOptions& options, const data::PackReport& report) {
  nlohmann::ordered_json json{{"command", "pack"},
                              {"output", options.output.string()},
                              {"bytes", report.file_bytes},
                              {"content_digest", report.content_digest},
                              {"task", report.project.task},
                              {"scorer", report.project.scorer},
                              {"codec", data::codec_policy_text(options.codec)},
                              {"frames", report.frames}};
  for (const auto& video : report.videos) json["videos"].push_back({{"name", video.name}, {"frames", video.frames}});
  for (const auto& part : report.parts)
    json["bodyparts"].push_back({{"name", part.bodypart}, {"labelled", part.labelled}, {"missing", part.missing}});
  for (const auto& size : report.image_sizes)
    json["image_sizes"].push_back(
        {{"width_px", size.width_px}, {"height_px", size.height_px}, {"frames", size.frames}});
  json["split"] = {
      {"shuffle", report.project.shuffle},
      {"train_fraction", report.project.train_fraction},
      {"seed", chosen_rows(options) ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(options.seed)},
      {"train", report.split.train},
      {"test", report.split.test}};
  json["dropped_labels"] = nlohmann::ordered_json::array();
  for (const auto& label : report.dropped)
    json["dropped_labels"].push_back(
        {{"image", label.image_name}, {"bodypart", label.bodypart}, {"x_px", label.x_px}, {"y_px", label.y_px}});
  json["notes"] = report.notes;
  return json;
}

void print_report(const data::PackOptions& options, const data::PackReport& report) {
  fmt::print("project: {} by {}, {} frames of {} video{}\n", report.project.task, report.project.scorer, report.frames,
             report.videos.size(), report.videos.size() == 1 ? "" : "s");
  for (const auto& video : report.videos) fmt::print("  {}: {} frames\n", video.name, video.frames);
  fmt::print("images:");
  for (const auto& size : report.image_sizes) fmt::print(" {} of {}x{}", size.frames, size.width_px, size.height_px);
  fmt::print("\nbodyparts: {}\n", report.parts.size());
  for (const auto& part : report.parts)
    fmt::print("  {}: {} labelled, {} missing\n", part.bodypart, part.labelled, part.missing);
  const std::string origin = chosen_rows(options) ? std::string("rows as given") : fmt::format("seed {}", options.seed);
  fmt::print("split {}: {} train, {} test ({})\n", report.project.shuffle, report.split.train.size(),
             report.split.test.size(), origin);
  for (const auto& label : report.dropped)
    fmt::print("dropped: {} of {} at ({}, {}), outside the image\n", label.bodypart, label.image_name, label.x_px,
               label.y_px);
  for (const auto& note : report.notes) fmt::print("note: {}\n", note);
  fmt::print("packed: {} ({:.1f} MB, content {})\n", options.output.string(),
             static_cast<double>(report.file_bytes) / 1e6, report.content_digest.substr(0, 12));
}

/// A line that renews itself, on terminals only.
void print_progress(std::int64_t done, std::int64_t total) {
  if (done % 20 != 0 && done != total) return;
  fmt::print("\rreading image {}/{}{}", done, total, done == total ? "\n" : "");
  std::fflush(stdout);
}

int run_pack(PackArguments& arguments, const Context& context) {
  data::PackOptions& options = arguments.options;
  if (!arguments.train_rows.empty()) options.train_rows = arguments.train_rows;
  if (!arguments.test_rows.empty()) options.test_rows = arguments.test_rows;
  options.codec = data::parse_codec_policy(arguments.codec);
  options.outside = arguments.outside == "drop" ? data::OutsideLabels::kDrop : data::OutsideLabels::kRefuse;
  options.program = version_text();
  options.command_line = context.command_line;
  if (output_is_terminal()) options.progress = print_progress;
  const data::PackReport report = data::pack_project(options);
  print_report(options, report);
  write_json_report(arguments.json_file, report_json(options, report));
  return 0;
}

}  // namespace

Command add_pack(CLI::App& root) {
  auto arguments = std::make_shared<PackArguments>();
  data::PackOptions& options = arguments->options;
  Command command;
  command.app = root.add_subcommand("pack", "Pack a DeepLabCut project's labelled images into one file for training.");
  CLI::App& app = *command.app;
  app.footer(kPackExamples);
  app.add_option("PROJECT", options.project, "Project folder, or its config.yaml")->required();
  app.add_option("-o,--output", options.output, "Packed file to write; an older one is replaced")->required();
  auto* seed = app.add_option("--seed", options.seed, "Seed of the split, from 0 to 4294967295")->capture_default_str();
  auto* train =
      app.add_option("--train-rows", arguments->train_rows, "ROWS to train on (default: all but the test rows)");
  auto* test =
      app.add_option("--test-rows", arguments->test_rows, "ROWS to test on (default: all but the training rows)");
  seed->excludes(train)->excludes(test);
  app.add_option("--shuffle", options.shuffle, "DeepLabCut's number of the split, part of its file names")
      ->capture_default_str();
  app.add_option("--codec", arguments->codec,
                 "How images are stored: passthrough (PNG and JPEG files as they are), raw (pixels: large, fast), "
                 "jpeg:Q (lossy, quality Q)")
      ->capture_default_str();
  app.add_option("--outside", arguments->outside,
                 "Labels outside their image: refuse (an error), drop (missing, as in DeepLabCut)")
      ->check(CLI::IsMember({"refuse", "drop"}))
      ->capture_default_str();
  app.add_option("--json", arguments->json_file, "Write the report to this file as JSON");
  command.paths = [arguments] {
    return CommandPaths{{{"PROJECT", arguments->options.project}}, {{"-o", arguments->options.output}}, {}};
  };
  command.run = [arguments](const Context& context) { return run_pack(*arguments, context); };
  return command;
}

}  // namespace ringpose::launch
