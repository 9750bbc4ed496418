#include "data/error.hpp"
#include "launch/commands/command.hpp"

namespace ringpose::launch {

Command add_synth(CLI::App& root) {
  Command command;
  command.app = root.add_subcommand("synth", "");
  command.run = [](const Context&) -> int { throw data::ConfigError("synth is missing"); };
  return command;
}

}  // namespace ringpose::launch
