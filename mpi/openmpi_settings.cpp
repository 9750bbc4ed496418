#include "mpi/openmpi_settings.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <cstdlib>

namespace ringpose::mpi {

namespace {

/// False in containers whose seccomp filter refuses process_vm_readv, which Open MPI uses for large messages inside a
/// node.
bool may_read_other_processes() {
  char source = 1;
  char target = 0;
  const iovec local{&target, 1};
  const iovec remote{&source, 1};
  return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == 1;
}

void set_default(const char* name, const char* value) {
  setenv(name, value, /*overwrite=*/0);
}

}  // namespace

void apply_openmpi_settings() {
  // Without a launcher Open MPI starts a daemon, which needs ssh on the PATH and a network. It only serves
  // MPI_Comm_spawn.
  set_default("OMPI_MCA_ess_singleton_isolated", "1");
  // A CPU machine has no libcuda; GPU memory never passes through MPI here.
  set_default("OMPI_MCA_opal_warn_on_missing_libcuda", "0");
  // Open MPI finds out by itself, but prints "Read -1, expected N, errno = 1" for every large message.
  if (!may_read_other_processes()) set_default("OMPI_MCA_btl_vader_single_copy_mechanism", "none");
}

}  // namespace ringpose::mpi
