// Runs a shell command line as a user would, and keeps what it printed.
#pragma once
#include <sys/wait.h>

#include <cstdio>
#include <stdexcept>
#include <string>

namespace ringpose::tests {

struct ProcessResult {
  int exit_code = -1;  ///< 128 + signal when killed
  std::string output;  ///< standard output and error together
};

inline ProcessResult run_process(const std::string& command_line) {
  std::FILE* pipe = ::popen(("( " + command_line + " ) 2>&1 < /dev/null").c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot start: " + command_line);
  ProcessResult result;
  char buffer[4096];
  while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, pipe)) result.output.append(buffer, count);
  const int status = ::pclose(pipe);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

/// Prefix that runs a program on `ranks` ranks of this machine, however few cores it has, also as root.
inline std::string mpirun(int ranks) {
  return "env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1 "
         "OMPI_MCA_hwloc_base_binding_policy=none mpirun --oversubscribe -n " +
         std::to_string(ranks) + " ";
}

}  // namespace ringpose::tests
