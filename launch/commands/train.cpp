#include "data/error.hpp"
#include "launch/commands/command.hpp"

namespace ringpose::launch {

Command add_train(CLI::App& root) {
  Command command;
  command.app = root.add_subcommand("train", "");
  command.run = [](const Context&) -> int { throw data::ConfigError("train is missing"); };
  return command;
}

}  // namespace ringpose::launch
