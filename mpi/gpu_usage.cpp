#include "mpi/gpu_usage.hpp"

#include <dlfcn.h>

#include <utility>

namespace ringpose::mpi {

namespace {

// The part of NVML's C interface used here, declared by hand so that no header of the driver is needed.
// Source: NVML API Reference Guide, "Initialization and Cleanup" and "Device Queries".
constexpr int kNvmlSuccess = 0;
struct NvmlUtilization {
  unsigned gpu_percent;
  unsigned memory_percent;
};
struct NvmlMemory {
  unsigned long long total_bytes;
  unsigned long long free_bytes;
  unsigned long long used_bytes;
};
using InitFunction = int (*)();
using HandleFunction = int (*)(const char* pci_bus_id, void** device);
using UtilizationFunction = int (*)(void* device, NvmlUtilization* result);
using MemoryFunction = int (*)(void* device, NvmlMemory* result);

}  // namespace

/// The loaded library, initialised; shut down and closed by the destructor.
class GpuMonitor::Library {
 public:
  explicit Library(const std::string& name) : handle_(dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) return;
    load(init_, "nvmlInit_v2");
    load(shutdown_, "nvmlShutdown");
    load(device_by_bus_id, "nvmlDeviceGetHandleByPciBusId_v2");
    load(utilization, "nvmlDeviceGetUtilizationRates");
    load(memory, "nvmlDeviceGetMemoryInfo");
    const bool complete = init_ && shutdown_ && device_by_bus_id && utilization && memory;
    usable_ = complete && init_() == kNvmlSuccess;
  }
  ~Library() {
    if (usable_) shutdown_();
    if (handle_ != nullptr) dlclose(handle_);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  [[nodiscard]] bool usable() const { return usable_; }

  HandleFunction device_by_bus_id = nullptr;
  UtilizationFunction utilization = nullptr;
  MemoryFunction memory = nullptr;

 private:
  template <typename Function>
  void load(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(handle_, name));
  }

  void* handle_ = nullptr;
  InitFunction init_ = nullptr;
  InitFunction shutdown_ = nullptr;
  bool usable_ = false;
};

GpuMonitor::GpuMonitor(std::unique_ptr<Library> library, void* device)
    : library_(std::move(library)), device_(device) {}
GpuMonitor::GpuMonitor(GpuMonitor&&) noexcept = default;
GpuMonitor& GpuMonitor::operator=(GpuMonitor&&) noexcept = default;
GpuMonitor::~GpuMonitor() = default;

std::optional<GpuMonitor> GpuMonitor::open(const std::string& pci_bus_id, const std::string& library) {
  auto loaded = std::make_unique<Library>(library);
  void* device = nullptr;
  if (!loaded->usable() || loaded->device_by_bus_id(pci_bus_id.c_str(), &device) != kNvmlSuccess) return std::nullopt;
  return GpuMonitor(std::move(loaded), device);
}

std::optional<GpuUsage> GpuMonitor::sample() const {
  NvmlUtilization utilization{};
  NvmlMemory memory{};
  if (library_->utilization(device_, &utilization) != kNvmlSuccess) return std::nullopt;
  if (library_->memory(device_, &memory) != kNvmlSuccess) return std::nullopt;
  return GpuUsage{static_cast<int>(utilization.gpu_percent), memory.used_bytes, memory.total_bytes};
}

}  // namespace ringpose::mpi
