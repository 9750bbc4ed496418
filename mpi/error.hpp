// Errors of MPI, CUDA and NCCL calls, and the one check that turns return codes into them.
#pragma once
#include <source_location>
#include <stdexcept>
#include <string>

namespace ringpose::mpi {

/// An MPI call failed; the message names the call, MPI's text and the place.
class MpiError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A CUDA or NCCL call failed, or no usable device is there.
class DeviceError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws MpiError unless `code` is MPI_SUCCESS.
void check_mpi(int code, const char* call, std::source_location where = std::source_location::current());

}  // namespace ringpose::mpi
