// ringpose plot: predictions over frames, or a training run over epochs, as a PNG.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "analysis/drawing_facts.hpp"
#include "analysis/plot_drawing.hpp"
#include "analysis/plot_figures.hpp"
#include "analysis/prediction_writer.hpp"
#include "data/error.hpp"
#include "launch/commands/command.hpp"
#include "launch/config.hpp"
#include "launch/json_report.hpp"
#include "trainer/metrics_sink.hpp"

namespace ringpose::launch {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPlotExamples =
    R"(Predictions: x, y and likelihood over the frames, a colour per bodypart; x and y are interrupted where the likelihood is not
above pcutoff. A training run: loss and test error over the epochs. Colormap and pcutoff come from <predictions>_ringpose.json.

Examples:
  ringpose plot videoDLC_Resnet50_openfieldOct30shuffle1_snapshot_best-120.h5 -o video.png
  ringpose plot video.csv -o video.png --pcutoff 0.4 --colormap jet --width 2000
  ringpose plot --run run1/learning_stats.csv -o training.png)";

struct PlotArguments {
  fs::path predictions, run, output;
  std::optional<double> pcutoff;
  std::optional<std::string> colormap;
  analysis::PlotOptions options;
  std::string json_file;
  bool overwrite = false;
};

analysis::Figure run_figure(fs::path file) {
  if (fs::is_directory(file)) file /= trainer::kMetricsFile;
  return analysis::training_figure(read_text_file(file), file.string());
}

analysis::Figure predictions_figure(const PlotArguments& arguments) {
  const auto table = analysis::read_predictions(arguments.predictions);
  const auto sidecar = analysis::read_sidecar(analysis::sidecar_path(arguments.predictions));
  auto drawing = sidecar ? sidecar->drawing : analysis::DrawingFacts{};
  if (arguments.pcutoff) drawing.pcutoff = *arguments.pcutoff;
  if (arguments.colormap) drawing.colormap = *arguments.colormap;
  return analysis::prediction_figure(table, drawing);
}

int run_plot(const PlotArguments& arguments) {
  if (arguments.predictions.empty() == arguments.run.empty())
    throw data::ConfigError("give either a prediction file or --run with a learning_stats.csv");
  std::error_code none;
  if (fs::exists(fs::symlink_status(arguments.output, none)) && !arguments.overwrite)
    throw data::ConfigError(fmt::format(
        "cannot write {}: it is there already. Add --overwrite to replace it, or choose another name with -o.",
        arguments.output.string()));
  const bool predictions = arguments.run.empty();
  const auto figure = predictions ? predictions_figure(arguments) : run_figure(arguments.run);
  const auto image = analysis::draw_figure(figure, arguments.options);
  analysis::write_png(arguments.output, image);
  fmt::print("plot: {} ({} x {} px)\n", arguments.output.string(), image.width_px, image.height_px);
  write_json_report(arguments.json_file, {{"command", "plot"},
                                          {"input", (predictions ? arguments.predictions : arguments.run).string()},
                                          {"output", arguments.output.string()},
                                          {"width_px", image.width_px},
                                          {"height_px", image.height_px},
                                          {"points", figure.panels.front().series.front().x.size()}});
  return 0;
}

}  // namespace

Command add_plot(CLI::App& root) {
  auto arguments = std::make_shared<PlotArguments>();
  Command command;
  command.app = root.add_subcommand("plot", "Plot predictions, or the course of a training run.");
  CLI::App& app = *command.app;
  app.footer(kPlotExamples);
  app.add_option("PREDICTIONS", arguments->predictions, "Prediction file, .h5 or .csv");
  app.add_option("--run", arguments->run, "learning_stats.csv of a run, or the run's folder");
  app.add_option("-o,--output", arguments->output, "Picture to write, .png")->required();
  app.add_option("--pcutoff", arguments->pcutoff, "Likelihood above which x and y are drawn")
      ->check(CLI::Range(0.0, 1.0));
  app.add_option("--colormap", arguments->colormap, "Colours of the bodyparts, by matplotlib's name");
  app.add_option("--width", arguments->options.width_px, "Width in px")
      ->check(CLI::Range(500, 20000))
      ->capture_default_str();
  app.add_option("--panel-height", arguments->options.panel_height_px, "Height of each panel in px")
      ->check(CLI::Range(80, 4000))
      ->capture_default_str();
  app.add_flag("--overwrite", arguments->overwrite, "Replace an existing picture");
  app.add_option("--json", arguments->json_file, "Write the report to this file");
  command.paths = [arguments] {
    return CommandPaths{
        {{"PREDICTIONS", arguments->predictions}, {"--run", arguments->run}}, {{"-o", arguments->output}}, {}};
  };
  command.run = [arguments](const Context&) { return run_plot(*arguments); };
  return command;
}

}  // namespace ringpose::launch
