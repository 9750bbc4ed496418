#include "data/error.hpp"
#include "launch/commands/command.hpp"

namespace ringpose::launch {

Command add_evaluate(CLI::App& root) {
  Command command;
  command.app = root.add_subcommand("evaluate", "");
  command.run = [](const Context&) -> int { throw data::ConfigError("evaluate is missing"); };
  return command;
}

}  // namespace ringpose::launch
