#include "launch/version.hpp"

#include <fmt/format.h>
#include <torch/version.h>

namespace ringpose::launch {

std::string version_text() {
  return fmt::format("ringpose {} (LibTorch {}, CUDA {})", RINGPOSE_VERSION, TORCH_VERSION, RINGPOSE_CUDA_TEXT);
}

}  // namespace ringpose::launch
