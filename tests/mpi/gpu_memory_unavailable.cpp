#include "mpi/error.hpp"
#include "tests/mpi/test_memory.hpp"

namespace ringpose::test {

std::optional<std::string> gpu_obstacle(const mpi::Communicator&) {
  return "built without CUDA";
}

std::unique_ptr<TestPlace> make_gpu_place(int) {
  throw mpi::DeviceError("built without CUDA");
}

}  // namespace ringpose::test
