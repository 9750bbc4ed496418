// CUDA return codes to DeviceError. Included by sources of the CUDA build only.
#pragma once
#include <cuda_runtime_api.h>

#include <source_location>

namespace ringpose::mpi {

/// Throws DeviceError unless `code` is cudaSuccess.
void check_cuda(cudaError_t code, const char* call, std::source_location where = std::source_location::current());

}  // namespace ringpose::mpi
