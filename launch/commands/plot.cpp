#include "data/error.hpp"
#include "launch/commands/command.hpp"

namespace ringpose::launch {

Command add_plot(CLI::App& root) {
  Command command;
  command.app = root.add_subcommand("plot", "");
  command.run = [](const Context&) -> int { throw data::ConfigError("plot is missing"); };
  return command;
}

}  // namespace ringpose::launch
