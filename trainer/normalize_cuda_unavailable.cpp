#include "mpi/error.hpp"
#include "trainer/normalize_cuda.hpp"

namespace ringpose::trainer {

torch::Tensor normalize_images_cuda(const torch::Tensor&) {
  throw mpi::DeviceError(
      "Normalising images on a GPU: this ringpose was built without CUDA. Build it with RINGPOSE_WITH_CUDA=ON.");
}

}  // namespace ringpose::trainer
