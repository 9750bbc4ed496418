// The few CUDA runtime facts this folder needs: device_cuda.cpp in a CUDA build, device_unavailable.cpp otherwise.
#pragma once
#include <string>

namespace ringpose::mpi {

/// True in a build with CUDA and NCCL.
[[nodiscard]] bool built_with_cuda() noexcept;
/// GPUs visible to this process; 0 without CUDA, driver or GPU. Never throws.
[[nodiscard]] int device_count() noexcept;
/// Makes `ordinal` the calling thread's device. Throws DeviceError.
void set_device(int ordinal);
/// For example "NVIDIA H200". Throws DeviceError.
[[nodiscard]] std::string device_name(int ordinal);
/// Domain:bus:device.function, for example "0000:1b:00.0": the same physical GPU has the same id in every process of a
/// node. Throws DeviceError.
[[nodiscard]] std::string device_pci_bus_id(int ordinal);

}  // namespace ringpose::mpi
