#include "mpi/environment.hpp"

#include <mpi.h>

#include <cstdlib>

#include "mpi/error.hpp"
#include "mpi/openmpi_settings.hpp"

namespace ringpose::mpi {

Environment::Environment(int& argc, char**& argv) {
  apply_openmpi_settings();
  int provided = MPI_THREAD_SINGLE;
  check_mpi(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided), "MPI_Init_thread");
  // MPI aborts on errors unless told otherwise; we turn return codes into exceptions.
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  if (provided < MPI_THREAD_SERIALIZED) {
    MPI_Finalize();
    throw MpiError(
        "MPI_Init_thread gave a thread level below MPI_THREAD_SERIALIZED: use an MPI built with thread support.");
  }
}

Environment::~Environment() {
  // MPI_Finalize waits for the other ranks. Left out while unwinding: the launcher then sees an exit without finalize
  // and ends the job.
  if (!unwind_.unwinding()) MPI_Finalize();
}

void Environment::abort(int exit_code) {
  MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::_Exit(exit_code);
}

}  // namespace ringpose::mpi
