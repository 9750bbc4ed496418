// Linked in builds with CUDA.
#include <c10/cuda/CUDAStream.h>

#include "trainer/device.hpp"

namespace ringpose::trainer {

mpi::StreamHandle current_stream(const c10::Device& device) {
  if (!device.is_cuda()) return nullptr;
  return c10::cuda::getCurrentCUDAStream(device.index()).stream();
}

}  // namespace ringpose::trainer
