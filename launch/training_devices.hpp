// The devices of all ranks of a training run, checked together, and the backend that joins them.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "launch/config.hpp"
#include "mpi/backend.hpp"
#include "mpi/communicator.hpp"

namespace ringpose::launch {

struct TrainingDevices {
  c10::Device device = c10::DeviceType::CPU;  ///< of this rank
  int cpu_threads = 1;                        ///< of this rank
  std::unique_ptr<mpi::Backend> backend;      ///< null for a single rank
  std::string backend_name;                   ///< "nccl", "mpi" or "none"
  std::vector<std::string> descriptions;      ///< one line per rank, on rank 0 only
  int hosts = 1;
};

/// Collective. Chooses devices, sets PyTorch's switches and threads, makes the backend. Throws data::ConfigError (on
/// rank 0) when ranks share a GPU, or some have one and others not.
[[nodiscard]] TrainingDevices choose_training_devices(const RunConfig& config, const mpi::Communicator& world);

/// Collective. This rank's CUDA device for predictions, or -1 for the CPU; sets threads and PyTorch's switches. Ranks
/// may share a GPU here, since they exchange host memory only.
[[nodiscard]] int choose_inference_device(const mpi::Communicator& world, bool cpu, int cpu_threads);

/// Collective: every rank's text in rank order on rank 0, empty elsewhere.
[[nodiscard]] std::vector<std::string> gather_texts(const mpi::Communicator& world, const std::string& text);

}  // namespace ringpose::launch
