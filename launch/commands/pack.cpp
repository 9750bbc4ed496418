#include "data/error.hpp"
#include "launch/commands/command.hpp"

namespace ringpose::launch {

Command add_pack(CLI::App& root) {
  Command command;
  command.app = root.add_subcommand("pack", "");
  command.run = [](const Context&) -> int { throw data::ConfigError("pack is missing"); };
  return command;
}

}  // namespace ringpose::launch
