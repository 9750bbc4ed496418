// GPU utilisation and memory as the driver reports them, through NVML. Works in every build: the library is loaded at
// run time.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace ringpose::mpi {

struct GpuUsage {
  int utilization_percent = 0;  ///< part of the driver's last sampling period (up to 1 s) in which a kernel ran, 0..100
  std::uint64_t memory_used_bytes = 0;  ///< by all processes
  std::uint64_t memory_total_bytes = 0;
};

/// Reads one GPU's usage. Move-only; one thread at a time. Never throws: monitoring must not end a training run.
class GpuMonitor {
 public:
  /// The GPU is named by its PCI bus id, as device_pci_bus_id() gives it, since CUDA's ordinals and NVML's indices may
  /// differ. Empty when the library, the driver or the GPU is not there.
  [[nodiscard]] static std::optional<GpuMonitor> open(const std::string& pci_bus_id,
                                                      const std::string& library = "libnvidia-ml.so.1");
  GpuMonitor(GpuMonitor&&) noexcept;
  GpuMonitor& operator=(GpuMonitor&&) noexcept;
  ~GpuMonitor();
  /// Empty when the driver refuses to say.
  [[nodiscard]] std::optional<GpuUsage> sample() const;

 private:
  class Library;
  GpuMonitor(std::unique_ptr<Library> library, void* device);
  std::unique_ptr<Library> library_;
  void* device_ = nullptr;
};

}  // namespace ringpose::mpi
