// ringpose train: trains a packed project on one or several ranks.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "data/packed_reader.hpp"
#include "data/sampler.hpp"
#include "launch/commands/command.hpp"
#include "launch/json_report.hpp"
#include "launch/training_devices.hpp"
#include "launch/training_progress.hpp"
#include "launch/training_run.hpp"
#include "trainer/snapshots.hpp"
#include "trainer/training_loop.hpp"

namespace ringpose::launch {
namespace {

constexpr const char* kTrainExamples =
    R"(The run folder receives run.yaml (the resolved configuration), learning_stats.csv (one row per epoch),
snapshot-<epoch>.safetensors and snapshot-best-<epoch>.safetensors (lowest test error). Without
--resume, a folder that holds more than run.yaml and learning_stats.csv (a run that ended early) is refused. A resumed run keeps the configuration stored in its snapshot;
--config, --dlc-config and --set lie on top of it. The result does not depend on the number of ranks, up to rounding.

Examples:
  ringpose train data.h5 --output run1
  mpirun -n 2 ringpose train data.h5 --output run1 --dlc-config pytorch_config.yaml
  mpirun -n 4 ringpose train data.h5 --output run2 --config run.yaml --set training.epochs=400 --json train.json
  mpirun -n 2 ringpose train data.h5 --output run1 --set training.epochs=300 --resume)";

std::string shares_text(std::int64_t batch, int ranks) {
  const data::Slice most = data::slice_of_batch(batch, 0, ranks), least = data::slice_of_batch(batch, ranks - 1, ranks);
  return most.count == least.count ? fmt::format("{}", most.count) : fmt::format("{} to {}", least.count, most.count);
}

void print_weights_line(const TrainArguments& arguments, const TrainPlan& plan) {
  if (plan.resume)
    fmt::print("weights: resumed from {} ({} epochs, {} updates made)\n", plan.resume_file, plan.resume->epoch,
               plan.resume->global_step);
  else if (!arguments.weights.empty())
    fmt::print("weights: backbone from {}\n", arguments.weights);
  else
    fmt::print(
        "WEIGHTS: RANDOM. DeepLabCut starts from ImageNet weights, which reach a given error in fewer epochs. "
        "To start from these, give --weights resnet50_gn.safetensors.\n");
}

void print_resume_difference(const TrainPlan& plan, const TrainingDevices& devices, int ranks) {
  if (!plan.resume || (plan.resume->world_size == ranks && plan.resume->cpu_threads == devices.cpu_threads)) return;
  fmt::print(
      "resume: the snapshot was made on {} ranks with {} threads, this run has {} ranks with {} threads: results "
      "continue up to "
      "rounding, not bit for bit.\n",
      plan.resume->world_size, plan.resume->cpu_threads, ranks, devices.cpu_threads);
}

void print_start(const TrainArguments& arguments, const TrainPlan& plan, const TrainingDevices& devices,
                 const data::PackedReader& reader, int ranks) {
  const trainer::TrainingOptions& training = plan.config.training;
  const data::Sampler sampler(reader.split().train, training.global_batch, training.seed);
  fmt::print("ranks: {} on {} host(s), backend {}\n", ranks, devices.hosts, devices.backend_name);
  for (std::size_t rank = 0; rank < devices.descriptions.size(); ++rank)
    fmt::print("  rank {}: {}\n", rank, devices.descriptions[rank]);
  fmt::print("data: {}: {} training and {} test images, {} bodyparts\n", arguments.data_file,
             reader.split().train.size(), reader.split().test.size(), reader.project().skeleton.size());
  fmt::print("batch: {} images per update, {} per rank; {} updates per epoch, {} epochs, {} updates\n",
             training.global_batch, shares_text(training.global_batch, ranks), sampler.steps_per_epoch(),
             training.epochs, sampler.steps_per_epoch() * training.epochs);
  print_weights_line(arguments, plan);
  print_resume_difference(plan, devices, ranks);
  for (const std::string& remark : plan.remarks) fmt::print("dlc-config: {}\n", remark);
  if (reader.split().test.empty()) fmt::print("There are no test images: no test error and no best snapshot.\n");
  fmt::print("configuration:\n{}\n", plan.config_yaml);
  std::fflush(stdout);
}

nlohmann::json report_json(const TrainArguments& arguments, const TrainPlan& plan, const TrainingDevices& devices,
                           int ranks, const trainer::TrainingResult& result, const std::vector<double>& gpu_percent) {
  const auto best = trainer::best_checkpoint(arguments.output);
  const auto last = trainer::latest_checkpoint(arguments.output);
  return {{"command", "train"},
          {"data", arguments.data_file},
          {"run_folder", arguments.output},
          {"ranks", ranks},
          {"hosts", devices.hosts},
          {"backend", devices.backend_name},
          {"device", devices.device.is_cuda() ? "cuda" : "cpu"},
          {"net_type", plan.config.training.net_type},
          {"global_batch", plan.config.training.global_batch},
          {"seed", plan.config.training.seed},
          {"random_weights", plan.resume ? nlohmann::json() : nlohmann::json(arguments.weights.empty())},
          {"resumed_from", plan.resume_file},
          {"epochs", result.epochs},
          {"updates", result.updates},
          {"finished", result.finished},
          {"train_loss", json_number(result.last.loss_total)},
          {"test_rmse_px", json_number(result.last.test_rmse_px)},
          {"test_rmse_pcutoff_px", json_number(result.last.test_rmse_pcutoff_px)},
          {"best_epoch", result.best_epoch},
          {"best_test_rmse_px", json_number(result.best_rmse_px)},
          {"best_snapshot", best ? best->string() : ""},
          {"last_snapshot", last ? last->string() : ""},
          {"seconds", result.seconds},
          {"images_per_s", result.images_per_s},
          {"data_wait_share", result.data_wait_share},
          {"gpu_percent", gpu_percent}};
}

void print_end(const nlohmann::json& report) {
  const auto text = [&report](const char* name) { return report[name].get<std::string>(); };
  if (report["images_per_s"].get<double>() == 0) {
    fmt::print("nothing to do: {} epochs are finished already. To go on, raise training.epochs.\n",
               report["epochs"].get<int>());
    return;
  }
  fmt::print("{}: {} epochs, {} updates in {}, {:.1f} images/s, {:.0f} % of the time waiting for data\n",
             report["finished"].get<bool>() ? "finished" : "stopped as asked", report["epochs"].get<int>(),
             report["updates"].get<std::int64_t>(), duration_text(report["seconds"].get<double>()),
             report["images_per_s"].get<double>(), 100 * report["data_wait_share"].get<double>());
  if (!report["test_rmse_px"].is_null())
    fmt::print("test error after the last epoch: {:.2f} px ({})\n", report["test_rmse_px"].get<double>(),
               text("last_snapshot"));
  if (!report["best_test_rmse_px"].is_null())
    fmt::print("lowest test error: {:.2f} px after epoch {} ({})\n", report["best_test_rmse_px"].get<double>(),
               report["best_epoch"].get<int>(), text("best_snapshot"));
  if (report["best_test_rmse_px"].is_null()) fmt::print("last snapshot: {}\n", text("last_snapshot"));
}

trainer::TrainingSpan make_span(const TrainArguments& arguments, const TrainPlan& plan) {
  trainer::TrainingSpan span;
  span.config_yaml = plan.config_yaml;
  if (!arguments.weights.empty()) span.weights = arguments.weights;
  span.resume = plan.resume ? &*plan.resume : nullptr;
  span.stop_after_updates = arguments.stop_after_updates;
  span.stop_after_epochs = arguments.stop_after_epochs;
  return span;
}

int run_train(const TrainArguments& arguments, const Context& context) {
  const mpi::Communicator& world = context.world;
  const bool speaks = world.rank() == 0;
  const data::PackedReader reader(arguments.data_file);
  const TrainPlan plan = plan_training(arguments, reader, world);
  TrainingDevices devices = choose_training_devices(plan.config, world);
  trainer::TrainingLoop loop(
      {world, devices.backend.get(), devices.device, devices.cpu_threads, reader, arguments.output},
      plan.config.training, make_span(arguments, plan));
  RunFolderLock lock;
  if (speaks) lock = create_run_folder(arguments.output, plan.config_yaml);
  if (speaks) print_start(arguments, plan, devices, reader, world.size());
  TrainingProgress progress(world, devices.device.is_cuda() ? devices.device.index() : -1);
  const trainer::TrainingResult result = loop.run(progress.events());
  if (devices.backend) devices.backend->finish();
  const std::vector<double> gpu_percent = progress.mean_gpu_percent();
  if (!speaks) return 0;
  progress.finish();
  const auto report = report_json(arguments, plan, devices, world.size(), result, gpu_percent);
  print_end(report);
  write_json_report(arguments.json_file, report);
  return 0;
}

void add_options(CLI::App& app, TrainArguments& arguments, std::string& resume) {
  app.add_option("DATA", arguments.data_file, "Packed file written by 'ringpose pack'")->required();
  app.add_option("-o,--output", arguments.output, "Run folder; made when missing")->required();
  app.add_option("--config", arguments.config_file,
                 "Run configuration (launch/configs/minimal.yaml explains the keys)");
  app.add_option("--dlc-config", arguments.dlc_config_file,
                 "DeepLabCut's pytorch_config.yaml; launch/DLC_CONFIG.md says what becomes of each key");
  app.add_option("--set", arguments.settings, "Override one key: section.name=value; may be repeated")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--weights", arguments.weights, "Initial weights (safetensors, timm's names for resnet50_gn)");
  app.add_option("--weights-sha256", arguments.weights_sha256,
                 "Refuse the weights file unless it has this SHA-256 (hex)");
  app.add_option("--resume", resume, "Continue from the newest snapshot of the run folder, or from the file given")
      ->expected(0, 1)
      ->type_name("[SNAPSHOT]");
  app.add_option("--max-steps", arguments.stop_after_updates, "Save and stop once so many updates are made in all")
      ->check(at_least_1());
  app.add_option("--stop-after-epochs", arguments.stop_after_epochs,
                 "Save and stop once so many epochs are finished in all")
      ->check(at_least_1());
  app.add_option("--json", arguments.json_file, "Write the report to this file");
}

}  // namespace

Command add_train(CLI::App& root) {
  auto arguments = std::make_shared<TrainArguments>();
  auto resume = std::make_shared<std::string>();
  Command command;
  command.app = root.add_subcommand("train", "Train a network on a packed project, on one or several ranks.");
  command.app->footer(kTrainExamples);
  command.parallel = true;
  add_options(*command.app, *arguments, *resume);
  command.paths = [arguments, resume] {
    return CommandPaths{{{"DATA", arguments->data_file},
                         {"--config", arguments->config_file},
                         {"--dlc-config", arguments->dlc_config_file},
                         {"--weights", arguments->weights},
                         {"--resume", *resume}},
                        {},
                        {{"--output", arguments->output}}};
  };
  command.run = [arguments, resume, app = command.app](const Context& context) {
    if (app->count("--resume") > 0) arguments->resume = *resume;
    return run_train(*arguments, context);
  };
  return command;
}

}  // namespace ringpose::launch
