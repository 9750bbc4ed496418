// A stand-in for libnvidia-ml.so.1 that knows one GPU; with FAKE_NVML_NO_DRIVER it fails to initialise.
#include <cstring>

extern "C" {

struct Utilization {
  unsigned gpu, memory;
};
struct Memory {
  unsigned long long total, free, used;
};

int nvmlInit_v2() {
#ifdef FAKE_NVML_NO_DRIVER
  return 9;  // NVML_ERROR_DRIVER_NOT_LOADED
#else
  return 0;
#endif
}

int nvmlShutdown() {
  return 0;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id, void** device) {
  static int gpu;
  if (std::strcmp(bus_id, "0000:1b:00.0") != 0) return 6;  // NVML_ERROR_NOT_FOUND
  *device = &gpu;
  return 0;
}

int nvmlDeviceGetUtilizationRates(void*, Utilization* result) {
  *result = {73, 12};
  return 0;
}

int nvmlDeviceGetMemoryInfo(void*, Memory* result) {
  *result = {150754820096ULL, 145386110976ULL, 5368709120ULL};
  return 0;
}
}
