#include "launch/training_devices.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "data/error.hpp"
#include "mpi/collectives.hpp"
#include "mpi/device.hpp"
#include "mpi/placement.hpp"

namespace ringpose::launch {

namespace {

std::string host_name() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "unknown host";
}

/// Rank 0 throws for all.
void require_one_rank_per_gpu(const mpi::Communicator& world, int gpu) {
  const auto gpus = gather_texts(world, gpu < 0 ? std::string() : host_name() + " " + mpi::device_pci_bus_id(gpu));
  const auto without = std::count(gpus.begin(), gpus.end(), std::string());
  if (without == static_cast<std::ptrdiff_t>(gpus.size())) return;
  if (without > 0)
    throw data::ConfigError(
        fmt::format("{} of {} ranks see no GPU. Give every rank one, or train on the CPU with --set run.device=cpu.",
                    without, gpus.size()));
  const std::set<std::string> different(gpus.begin(), gpus.end());
  if (different.size() < gpus.size())
    throw data::ConfigError(fmt::format(
        "{} ranks would share {} GPU(s). Start one rank per GPU, at most {} here, or train on the CPU with --set "
        "run.device=cpu.",
        gpus.size(), different.size(), different.size()));
}

}  // namespace

std::vector<std::string> gather_texts(const mpi::Communicator& world, const std::string& text) {
  std::vector<std::string> texts;
  for (const auto& bytes : mpi::gather(world, std::as_bytes(std::span(text.data(), text.size()))))
    texts.emplace_back(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return texts;
}

TrainingDevices choose_training_devices(const RunConfig& config, const mpi::Communicator& world) {
  const mpi::Placement placement = mpi::place_rank(world);
  TrainingDevices devices;
  devices.device = trainer::choose_device(placement, config.device);
  const bool gpu = devices.device.is_cuda();
  require_one_rank_per_gpu(world, gpu ? placement.device_ordinal : -1);
  devices.cpu_threads = config.cpu_threads > 0 ? config.cpu_threads : placement.cpu_threads;
  trainer::configure_numerics({config.training.precision, config.training.deterministic, devices.cpu_threads});
  if (gpu) mpi::set_device(placement.device_ordinal);
  if (world.size() > 1)
    devices.backend =
        mpi::make_backend(gpu ? mpi::BackendKind::nccl : mpi::BackendKind::mpi, world, placement.device_ordinal);
  devices.backend_name = devices.backend ? devices.backend->name() : "none";
  const std::string what =
      gpu ? fmt::format("GPU {} ({})", placement.device_ordinal, mpi::device_name(placement.device_ordinal)) : "CPU";
  devices.descriptions = gather_texts(world, fmt::format("{}, {}, {} threads", host_name(), what, devices.cpu_threads));
  const auto hosts = gather_texts(world, host_name());
  devices.hosts = static_cast<int>(std::set(hosts.begin(), hosts.end()).size());
  return devices;
}

int choose_inference_device(const mpi::Communicator& world, bool cpu, int cpu_threads) {
  const mpi::Placement placement = mpi::place_rank(world);
  const auto device =
      trainer::choose_device(placement, cpu ? trainer::DeviceChoice::cpu : trainer::DeviceChoice::automatic);
  trainer::configure_numerics({trainer::Precision::tf32, true, cpu_threads});
  if (!device.is_cuda()) return -1;
  mpi::set_device(placement.device_ordinal);
  return placement.device_ordinal;
}

}  // namespace ringpose::launch
