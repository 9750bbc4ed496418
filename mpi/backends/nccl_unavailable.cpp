#include "mpi/backends/nccl_backend.hpp"
#include "mpi/error.hpp"

namespace ringpose::mpi {

std::unique_ptr<Backend> make_nccl_backend(const Communicator&, int) {
  throw DeviceError(
      "the NCCL backend was asked for, but this ringpose was built without CUDA: run launch/setup.sh --cuda and "
      "configure again with "
      "-DRINGPOSE_WITH_CUDA=ON, or train on the CPU with the MPI backend.");
}

}  // namespace ringpose::mpi
