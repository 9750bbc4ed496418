#include "launch/terminal.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace ringpose::launch {

bool output_is_terminal() {
  if (isatty(STDOUT_FILENO) == 0) return false;
  if (std::getenv("OMPI_COMM_WORLD_SIZE") == nullptr && std::getenv("PMIX_RANK") == nullptr) return true;
  std::error_code error;
  const auto output = std::filesystem::read_symlink("/proc/" + std::to_string(getppid()) + "/fd/1", error).string();
  return !error && (output.starts_with("/dev/pts/") || output.starts_with("/dev/tty"));
}

}  // namespace ringpose::launch
