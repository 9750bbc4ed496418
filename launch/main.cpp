// The only main: MPI first, then the subcommand; every error ends all ranks with one message and a non-zero exit code.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <string>
#include <thread>
#include <vector>

#include "data/atomic_file.hpp"
#include "data/error.hpp"
#include "launch/commands/command.hpp"
#include "launch/json_report.hpp"
#include "launch/nearest_name.hpp"
#include "launch/version.hpp"
#include "mpi/communicator.hpp"
#include "mpi/environment.hpp"

namespace {

using ringpose::launch::Command;
using ringpose::launch::Context;

constexpr int kExitError = 1;
constexpr int kExitUsage = 2;

std::vector<Command> add_commands(CLI::App& app) {
  namespace launch = ringpose::launch;
  return {launch::add_synth(app),   launch::add_pack(app),  launch::add_train(app), launch::add_evaluate(app),
          launch::add_analyze(app), launch::add_label(app), launch::add_plot(app)};
}

std::string join_arguments(int argc, char** argv) {
  std::string line;
  for (int i = 0; i < argc; ++i) line += (i > 0 ? " " : "") + std::string(argv[i]);
  return line;
}

/// CLI11's message, or a better one for a mistyped command or option.
std::string usage_message(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  std::vector<std::string> names;
  const auto parsed = app.get_subcommands();
  if (parsed.empty()) {
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
      names.push_back(command->get_name());
    if (argc < 2 || argv[1][0] == '-') return error.what();
    return fmt::format("unknown command '{}': the nearest is '{}'.", argv[1],
                       ringpose::launch::nearest_name(argv[1], names));
  }
  for (const CLI::Option* option : parsed.front()->get_options())
    if (!option->get_lnames().empty()) names.push_back("--" + option->get_lnames().front());
  for (int i = 2; i < argc; ++i) {
    const std::string name = std::string(argv[i]).substr(0, std::string(argv[i]).find('='));
    if (!name.starts_with("--") || name.size() == 2 || parsed.front()->get_option_no_throw(name) != nullptr) continue;
    return fmt::format("'ringpose {}' has no option {}: the nearest is {}.", parsed.front()->get_name(), name,
                       ringpose::launch::nearest_name(name, names));
  }
  return error.what();
}

/// Parses on every rank; only rank 0 prints. Returns the exit code, or -1 when parsing went well.
int parse(CLI::App& app, int argc, char** argv, int rank) {
  try {
    app.parse(argc, argv);
    return -1;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return rank == 0 ? app.exit(error) : 0;
    if (rank == 0)
      fmt::print(stderr, "ringpose: {}\nSee ringpose --help, or ringpose COMMAND --help.\n",
                 usage_message(app, error, argc, argv));
    return kExitUsage;
  }
}

int run_selected(const std::vector<Command>& commands, const Context& context) {
  for (const Command& command : commands) {
    if (!command.app->parsed()) continue;
    if (!command.parallel && context.world.size() > 1)
      throw ringpose::data::ConfigError(fmt::format(
          "'ringpose {}' runs as one process, but was started as {} ranks: start it without mpirun or srun.",
          command.app->get_name(), context.world.size()));
    const CLI::Option* report = command.app->get_option("--json");
    const std::string report_file = report->count() > 0 ? report->as<std::string>() : std::string();
    auto paths = command.paths();
    paths.outputs.push_back({"--json", report_file});
    ringpose::launch::require_distinct_paths(paths);
    if (context.world.rank() == 0) ringpose::launch::require_writable_report(report_file);
    return command.run(context);
  }
  return kExitUsage;
}

/// All ranks often fail alike (a missing file): rank 0 speaks first and ends the others before they repeat it.
void report(const std::exception& error, const ringpose::mpi::Communicator& world) {
  if (world.rank() != 0) std::this_thread::sleep_for(std::chrono::milliseconds(700));
  const std::string prefix =
      world.size() > 1 ? fmt::format("[rank {}/{}] ", world.rank(), world.size()) : std::string();
  fmt::print(stderr, "ringpose: {}{}\n", prefix, error.what());
  std::fflush(stderr);
}

}  // namespace

int main(int argc, char** argv) {
  ringpose::mpi::Environment environment(argc, argv);
  ringpose::data::remove_temporary_files_on_signals();
  const auto world = ringpose::mpi::Communicator::world();
  CLI::App app{
      "ringpose trains DeepLabCut projects on several GPUs or machines. Typical order: pack, train, evaluate, analyze, "
      "label.",
      "ringpose"};
  app.set_version_flag("--version", ringpose::launch::version_text());
  app.require_subcommand(1);
  const auto commands = add_commands(app);
  if (const int code = parse(app, argc, argv, world.rank()); code >= 0) return code;
  try {
    return run_selected(commands, Context{world, join_arguments(argc, argv)});
  } catch (const std::exception& error) {
    report(error, world);
    if (world.size() > 1) ringpose::mpi::Environment::abort(kExitError);
    return kExitError;
  }
}
