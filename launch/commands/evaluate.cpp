// ringpose evaluate: a trained network's errors on labelled images, on one or several ranks.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "data/atomic_file.hpp"
#include "data/error.hpp"
#include "launch/commands/command.hpp"
#include "launch/evaluation.hpp"
#include "launch/json_report.hpp"
#include "launch/run_folder.hpp"
#include "launch/training_devices.hpp"

namespace ringpose::launch {
namespace {

constexpr const char* kEvaluateExamples =
    R"(RMSE is DeepLabCut's: the mean Euclidean distance between prediction and label over all labelled points; the column
pcutoff counts only predictions with at least that likelihood. "guess RMSE" is the error of guessing each bodypart's mean
training position. Points off by more than 20 px are listed. The numbers do not depend on the number of ranks.

Examples:
  mpirun -n 2 ringpose evaluate run1 data.h5              (the run's best snapshot)
  ringpose evaluate run1/snapshot-best-180.safetensors data.h5
  mpirun -n 2 ringpose evaluate run1/snapshot-200.safetensors data.h5 --split test --csv points.csv --json errors.json)";

struct EvaluateArguments {
  std::string checkpoint;
  std::string data_file;
  std::string split = "all";
  std::string csv_file;
  std::string json_file;
  std::optional<double> pcutoff;
  bool cpu = false;
  int threads_per_rank = 1;
};

void require_same_bodyparts(const trainer::Checkpoint& checkpoint, const data::PackedReader& reader,
                            const EvaluateArguments& arguments) {
  const auto& trained = checkpoint.project.skeleton.bodyparts;
  const auto& labelled = reader.project().skeleton.bodyparts;
  if (trained == labelled) return;
  throw data::ConfigError(
      fmt::format("{} was trained on the bodyparts {}, but {} holds {}. Use the data of the same project.",
                  arguments.checkpoint, trained, arguments.data_file, labelled));
}

/// Names and rows of the splits that were asked for.
std::vector<std::pair<std::string, std::vector<std::int64_t>>> chosen_splits(const data::PackedReader& reader,
                                                                             const EvaluateArguments& arguments) {
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> splits;
  if (arguments.split != "test") splits.emplace_back("train", reader.split().train);
  if (arguments.split != "train") splits.emplace_back("test", reader.split().test);
  std::erase_if(splits, [](const auto& split) { return split.second.empty(); });
  if (splits.empty())
    throw data::ConfigError(fmt::format("{} has no {} images.", arguments.data_file, arguments.split));
  return splits;
}

nlohmann::json report_json(const EvaluateArguments& arguments, const trainer::Checkpoint& checkpoint, double pcutoff,
                           int ranks, const std::vector<SplitEvaluation>& evaluations) {
  nlohmann::json report{{"command", "evaluate"},
                        {"checkpoint", arguments.checkpoint},
                        {"data", arguments.data_file},
                        {"epochs", checkpoint.epoch},
                        {"net_type", checkpoint.net_type},
                        {"pcutoff", pcutoff},
                        {"ranks", ranks}};
  for (const SplitEvaluation& evaluation : evaluations)
    report[evaluation.name] = split_json(evaluation, checkpoint.project.skeleton.bodyparts);
  return report;
}

/// Before the evaluation, which may take long.
void require_writable_csv(const std::string& file) {
  if (file.empty()) return;
  data::require_replaceable(file, "table of points", [](const std::filesystem::path& path) {
    std::ifstream stream(path);
    std::string line;
    return std::getline(stream, line) && line == kPointsHeader;
  });
  const data::AtomicFile probe(file);
}

int run_evaluate(EvaluateArguments arguments, const Context& context) {
  arguments.checkpoint = find_model_snapshot(arguments.checkpoint).string();
  const mpi::Communicator& world = context.world;
  const data::PackedReader reader(arguments.data_file);
  const trainer::Checkpoint checkpoint = trainer::load_checkpoint(arguments.checkpoint);
  require_same_bodyparts(checkpoint, reader, arguments);
  if (world.rank() == 0) require_writable_csv(arguments.csv_file);
  const auto splits = chosen_splits(reader, arguments);
  const int device = choose_inference_device(world, arguments.cpu, arguments.threads_per_rank);
  const double pcutoff = arguments.pcutoff.value_or(reader.project().pcutoff);
  std::vector<SplitEvaluation> evaluations;
  for (const auto& [name, rows] : splits)
    evaluations.push_back(evaluate_split(name, rows, checkpoint, reader, world, {pcutoff, 20, device}));
  if (world.rank() != 0) return 0;

  fmt::print("{}: {} after {} epochs; pcutoff {}\n", arguments.checkpoint, checkpoint.net_type, checkpoint.epoch,
             pcutoff);
  if (checkpoint.dataset_digest != reader.content_digest())
    fmt::print("note: the network was trained on another packed file than {}\n", arguments.data_file);
  for (const SplitEvaluation& evaluation : evaluations)
    fmt::print("{}", split_text(evaluation, checkpoint.project.skeleton.bodyparts));
  if (!arguments.csv_file.empty()) data::write_file_atomically(arguments.csv_file, points_csv(evaluations, reader));
  write_json_report(arguments.json_file, report_json(arguments, checkpoint, pcutoff, world.size(), evaluations));
  return 0;
}

}  // namespace

Command add_evaluate(CLI::App& root) {
  auto arguments = std::make_shared<EvaluateArguments>();
  Command command;
  command.app = root.add_subcommand("evaluate", "Measure a trained network's errors on labelled images.");
  command.parallel = true;
  CLI::App& app = *command.app;
  app.footer(kEvaluateExamples);
  app.add_option("CHECKPOINT", arguments->checkpoint, "Snapshot file, or a run folder (its best snapshot)")->required();
  app.add_option("DATA", arguments->data_file, "Packed file written by 'ringpose pack'")->required();
  app.add_option("--pcutoff", arguments->pcutoff, "Likelihood from which a prediction counts (default: the project's)")
      ->check(CLI::Range(0.0, 1.0));
  app.add_option("--split", arguments->split, "Images to evaluate")
      ->check(CLI::IsMember({"train", "test", "all"}))
      ->capture_default_str();
  app.add_option("--csv", arguments->csv_file, "Write every labelled point with its prediction to this file");
  app.add_option("--json", arguments->json_file, "Write the report to this file");
  app.add_option("--threads-per-rank", arguments->threads_per_rank,
                 "CPU threads of the network in each rank; the last digits may depend on it, so the default is fixed")
      ->check(at_least_1())
      ->capture_default_str();
  app.add_flag("--cpu", arguments->cpu, "Do not use a GPU");
  command.paths = [arguments] {
    return CommandPaths{
        {{"CHECKPOINT", arguments->checkpoint}, {"DATA", arguments->data_file}}, {{"--csv", arguments->csv_file}}, {}};
  };
  command.run = [arguments](const Context& context) { return run_evaluate(*arguments, context); };
  return command;
}

}  // namespace ringpose::launch
