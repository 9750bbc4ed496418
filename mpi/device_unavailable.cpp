#include "mpi/device.hpp"
#include "mpi/error.hpp"

namespace ringpose::mpi {

namespace {

[[noreturn]] void refuse() {
  throw DeviceError(
      "a GPU was asked for, but this ringpose was built without CUDA: configure again with -DRINGPOSE_WITH_CUDA=ON.");
}

}  // namespace

bool built_with_cuda() noexcept {
  return false;
}

int device_count() noexcept {
  return 0;
}

void set_device(int) {
  refuse();
}

std::string device_name(int) {
  refuse();
}

std::string device_pci_bus_id(int) {
  refuse();
}

}  // namespace ringpose::mpi
