// Where a rank computes: its GPU or the CPU, how many threads, and PyTorch's global switches for both.
#pragma once
#include <c10/core/Device.h>

#include <string>

#include "mpi/backend.hpp"
#include "mpi/placement.hpp"

namespace ringpose::trainer {

/// auto takes a GPU where the rank has one.
enum class DeviceChoice { automatic, cpu, cuda };

/// The rank's device. Throws data::ConfigError when a GPU was asked for and there is none.
[[nodiscard]] c10::Device choose_device(const mpi::Placement& placement, DeviceChoice choice);

/// float32 arithmetic of convolutions on the GPU. tf32 is PyTorch's default there, and so DeepLabCut's.
enum class Precision { fp32, tf32 };

struct NumericOptions {
  Precision precision = Precision::tf32;
  bool deterministic = true;  ///< cuDNN: deterministic algorithms, no benchmarking, as DeepLabCut sets
  int cpu_threads = 1;        ///< intra-operation threads of this process; results differ in bits between thread counts
};

/// Sets PyTorch's process-wide switches. Call once per process, before any tensor work.
void configure_numerics(const NumericOptions& options);

/// The stream on which PyTorch queues work for `device` now; nullptr for the CPU.
[[nodiscard]] mpi::StreamHandle current_stream(const c10::Device& device);

}  // namespace ringpose::trainer
