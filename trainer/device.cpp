#include "trainer/device.hpp"

#include <ATen/Context.h>
#include <ATen/Parallel.h>

#include <algorithm>

#include "data/error.hpp"

namespace ringpose::trainer {

c10::Device choose_device(const mpi::Placement& placement, DeviceChoice choice) {
  const bool has_gpu = placement.device_ordinal >= 0 && at::hasCUDA();
  if (choice == DeviceChoice::cuda && !has_gpu)
    throw data::ConfigError(
        "A GPU was asked for (device: cuda), but this rank sees none. Check nvidia-smi and the driver, build with CUDA "
        "(RINGPOSE_WITH_CUDA=ON), or set device: auto.");
  if (choice == DeviceChoice::cpu || !has_gpu) return {c10::DeviceType::CPU};
  return {c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(placement.device_ordinal)};
}

void configure_numerics(const NumericOptions& options) {
  at::set_num_threads(std::max(1, options.cpu_threads));
  at::globalContext().setBenchmarkCuDNN(false);
  at::globalContext().setDeterministicCuDNN(options.deterministic);
  at::globalContext().setAllowTF32CuDNN(options.precision == Precision::tf32);
  at::globalContext().setAllowTF32CuBLAS(false);  // PyTorch's default: matrix products stay float32
}

}  // namespace ringpose::trainer
