#include <fmt/format.h>

#include "mpi/cuda_check.hpp"
#include "mpi/device.hpp"
#include "mpi/error.hpp"

namespace ringpose::mpi {

void check_cuda(cudaError_t code, const char* call, std::source_location where) {
  if (code == cudaSuccess) return;
  throw DeviceError(fmt::format("{} failed: {} ({}, {}:{})", call, cudaGetErrorString(code), cudaGetErrorName(code),
                                where.file_name(), where.line()));
}

bool built_with_cuda() noexcept {
  return true;
}

int device_count() noexcept {
  int count = 0;
  if (cudaGetDeviceCount(&count) == cudaSuccess) return count;
  cudaGetLastError();  // no driver or no GPU is an ordinary answer: later calls must not find this error
  return 0;
}

void set_device(int ordinal) {
  check_cuda(cudaSetDevice(ordinal), "cudaSetDevice");
}

std::string device_name(int ordinal) {
  cudaDeviceProp properties{};
  check_cuda(cudaGetDeviceProperties(&properties, ordinal), "cudaGetDeviceProperties");
  return properties.name;
}

std::string device_pci_bus_id(int ordinal) {
  char text[32] = {};
  check_cuda(cudaDeviceGetPCIBusId(text, sizeof(text), ordinal), "cudaDeviceGetPCIBusId");
  return text;
}

}  // namespace ringpose::mpi
