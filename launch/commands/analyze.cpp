#include "data/error.hpp"
#include "launch/commands/command.hpp"

namespace ringpose::launch {

Command add_analyze(CLI::App& root) {
  Command command;
  command.app = root.add_subcommand("analyze", "");
  command.run = [](const Context&) -> int { throw data::ConfigError("analyze is missing"); };
  return command;
}

}  // namespace ringpose::launch
