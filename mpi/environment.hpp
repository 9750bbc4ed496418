// Owns MPI_Init_thread and MPI_Finalize.
#pragma once
#include "mpi/unwinding.hpp"

namespace ringpose::mpi {

/// Construct once, first in main. Asks for MPI_THREAD_MULTIPLE, makes do with MPI_THREAD_SERIALIZED (collectives of the
/// MPI backend then advance only inside MPI calls), and throws MpiError when less is provided.
/// The destructor finalizes only when not unwinding; use abort() to end all ranks after an error.
class Environment {
 public:
  Environment(int& argc, char**& argv);
  ~Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  /// Ends every rank of the job with this exit code. Does not return.
  [[noreturn]] static void abort(int exit_code);

 private:
  UnwindDetector unwind_;
};

}  // namespace ringpose::mpi
