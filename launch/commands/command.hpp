// What every subcommand shares. A command adds its options to CLI11 and returns what to run once they are parsed.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "launch/path_checks.hpp"
#include "mpi/communicator.hpp"

namespace ringpose::launch {

/// Given to a command when it runs.
struct Context {
  const mpi::Communicator& world;
  std::string command_line;  ///< as typed, for provenance
};

/// A subcommand: `app` holds its options, `run` returns the exit code (0 only when all that was asked for is there) and
/// throws on errors.
struct Command {
  CLI::App* app = nullptr;
  bool parallel = false;                ///< may run on several ranks
  std::function<CommandPaths()> paths;  ///< the files named, once parsed; --json is added by the caller
  std::function<int(const Context&)> run;
};

/// For options that count: a whole number, 1 or more.
[[nodiscard]] inline CLI::Validator at_least_1() {
  return CLI::Validator(
      [](const std::string& text) {
        const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
        return digits && text.find_first_not_of('0') != std::string::npos
                   ? std::string()
                   : "'" + text + "' is no whole number of 1 or more";
      },
      "COUNT");
}

/// One per file commands/<name>.cpp.
[[nodiscard]] Command add_synth(CLI::App& root);
[[nodiscard]] Command add_pack(CLI::App& root);
[[nodiscard]] Command add_train(CLI::App& root);
[[nodiscard]] Command add_evaluate(CLI::App& root);
[[nodiscard]] Command add_analyze(CLI::App& root);
[[nodiscard]] Command add_label(CLI::App& root);
[[nodiscard]] Command add_plot(CLI::App& root);

}  // namespace ringpose::launch
