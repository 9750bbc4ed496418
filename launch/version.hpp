// Versions of the program and what it is built on.
#pragma once
#include <string>

namespace ringpose::launch {

/// For example "ringpose 0.1.0 (LibTorch 2.11.0, CUDA on)".
[[nodiscard]] std::string version_text();

}  // namespace ringpose::launch
