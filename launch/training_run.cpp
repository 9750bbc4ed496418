#include "launch/training_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "data/error.hpp"
#include "launch/dlc_config.hpp"
#include "mpi/collectives.hpp"
#include "trainer/checkpoint_metadata.hpp"
#include "trainer/file_digest.hpp"

namespace ringpose::launch {

namespace {

void read_dlc_settings(const TrainArguments& arguments, const data::PackedReader& reader, TrainPlan& plan) {
  DlcImport import = read_dlc_config(arguments.dlc_config_file);
  const std::vector<std::string>& packed = reader.project().skeleton.bodyparts;
  if (import.bodyparts != packed)
    throw data::ConfigError(
        fmt::format("{}: metadata.bodyparts are {}, but {} holds {}. Use the configuration and the packed "
                    "file of the same project.",
                    arguments.dlc_config_file, import.bodyparts, arguments.data_file, packed));
  plan.config = import.config;
  plan.remarks = import.remarks;
}

void require_resumable(const TrainPlan& plan, const data::PackedReader& reader) {
  const trainer::TrainingOptions& training = plan.config.training;
  const auto obstacle = trainer::resume_obstacle(
      *plan.resume,
      {reader.content_digest(), reader.project().skeleton, training.net_type, training.global_batch, training.seed});
  if (obstacle)
    throw data::ConfigError(
        fmt::format("Cannot resume from {}: {}. Resume with the data and settings of that run, or start a new run in "
                    "another --output.",
                    plan.resume_file, *obstacle));
}

/// A damaged or different download must not become the start of a run unnoticed.
void require_expected_weights(const TrainArguments& arguments) {
  if (arguments.weights_sha256.empty()) return;
  if (arguments.weights.empty())
    throw data::ConfigError("--weights-sha256 was given without --weights: name the file that it belongs to.");
  std::string expected = arguments.weights_sha256;
  std::transform(expected.begin(), expected.end(), expected.begin(), [](unsigned char c) { return std::tolower(c); });
  const std::string found = trainer::sha256_of_file(arguments.weights);
  if (found == expected) return;
  throw data::FormatError(
      fmt::format("Checking the initial weights {}: the file's SHA-256 is {}, expected {}. Fetch the file again, "
                  "or correct --weights-sha256.",
                  arguments.weights, found, expected));
}

/// Defaults, then the resumed run's configuration, then files, then --set.
TrainPlan plan_on_rank_0(const TrainArguments& arguments, const data::PackedReader& reader) {
  TrainPlan plan;
  require_free_run_folder(arguments.output, arguments.resume);
  require_expected_weights(arguments);
  if (arguments.resume) {
    plan.resume_file = find_resume_snapshot(arguments.output, *arguments.resume).string();
    plan.resume = trainer::load_checkpoint(plan.resume_file);
    apply_config_text(plan.config, plan.resume->config_yaml, plan.resume_file + " (stored configuration)");
  }
  if (!arguments.dlc_config_file.empty()) read_dlc_settings(arguments, reader, plan);
  if (!arguments.config_file.empty()) apply_config_file(plan.config, arguments.config_file);
  for (const std::string& setting : arguments.settings) apply_setting(plan.config, setting);
  plan.config.validate();
  if (plan.resume) require_resumable(plan, reader);
  return plan;
}

}  // namespace

TrainPlan plan_training(const TrainArguments& arguments, const data::PackedReader& reader,
                        const mpi::Communicator& world) {
  TrainPlan plan;
  std::string metadata;
  if (world.rank() == 0) {
    plan = plan_on_rank_0(arguments, reader);
    plan.config_yaml = to_yaml(plan.config);
    if (plan.resume) metadata = trainer::metadata_to_json(*plan.resume);
  }
  mpi::broadcast(world, plan.config_yaml);
  mpi::broadcast(world, plan.resume_file);
  mpi::broadcast(world, metadata);
  if (world.rank() != 0) {
    apply_config_text(plan.config, plan.config_yaml, "rank 0's configuration");
    if (!metadata.empty()) plan.resume = trainer::metadata_from_json(metadata);
  }
  return plan;
}

}  // namespace ringpose::launch
