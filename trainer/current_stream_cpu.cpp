// Linked in builds without CUDA.
#include "trainer/device.hpp"

namespace ringpose::trainer {

mpi::StreamHandle current_stream(const c10::Device&) {
  return nullptr;
}

}  // namespace ringpose::trainer
