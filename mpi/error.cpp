#include "mpi/error.hpp"

#include <fmt/format.h>
#include <mpi.h>

namespace ringpose::mpi {

void check_mpi(int code, const char* call, std::source_location where) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw MpiError(fmt::format("{} failed: {} ({}:{})", call, text, where.file_name(), where.line()));
}

}  // namespace ringpose::mpi
