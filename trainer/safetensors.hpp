// The safetensors container: 8-byte header length, JSON header, raw little-endian tensors.
// Source: github.com/huggingface/safetensors (format description). Used for initial weights and for checkpoints.
#pragma once
#include <torch/types.h>

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ringpose::trainer {

struct TensorFile {
  std::vector<std::pair<std::string, torch::Tensor>> tensors;  ///< CPU, in file order
  std::map<std::string, std::string> metadata;                 ///< the header's __metadata__
};

/// Throws data::FormatError (not safetensors, truncated, overlapping or out-of-range offsets, unknown dtype) or
/// data::IoError.
[[nodiscard]] TensorFile read_safetensors(const std::filesystem::path& path);
/// Atomic: temporary name in the same folder, fsync, rename. Tensors may live on any device. Throws data::IoError;
/// nothing is left behind then.
void write_safetensors(const std::filesystem::path& path, const TensorFile& file);

}  // namespace ringpose::trainer
