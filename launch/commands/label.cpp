#include "data/error.hpp"
#include "launch/commands/command.hpp"

namespace ringpose::launch {

Command add_label(CLI::App& root) {
  Command command;
  command.app = root.add_subcommand("label", "");
  command.run = [](const Context&) -> int { throw data::ConfigError("label is missing"); };
  return command;
}

}  // namespace ringpose::launch
