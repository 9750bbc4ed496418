// Numbers that Python and C++ compute alike, and what DeepLabCut made of them. Twin of tests/golden/golden_values.py.
#pragma once
#include <torch/types.h>

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace ringpose::tests {

/// Random bits of entry `index` under `name`.
[[nodiscard]] std::uint64_t golden_bits(const std::string& name, std::int64_t index);
/// float32 in [low, high).
[[nodiscard]] torch::Tensor golden_tensor(const std::string& name, const std::vector<std::int64_t>& shape,
                                          double low = -1, double high = 1);
/// Randomised weight of a parameter, by its name and shape.
[[nodiscard]] torch::Tensor golden_weight(const std::string& name, const std::vector<std::int64_t>& shape);

/// A file of tests/golden: tensors by name, and the facts of its metadata.
struct GoldenFile {
  std::map<std::string, torch::Tensor> tensors;
  nlohmann::json facts;
};
[[nodiscard]] GoldenFile read_golden(const std::string& file);

/// How far named tensors are from a digest, relative to the digest's norm.
struct DigestError {
  double global = 0;        ///< estimate of the L2 error over all entries of all tensors, from random signed sums
  double samples = 0;       ///< L2 error over the stored entries
  double worst_norm = 0;    ///< largest relative error of one tensor's norm
  double worst_tensor = 0;  ///< largest relative L2 error of one tensor, estimated
  std::string worst_name;
};
/// `prefix` as given to golden_values.digest.
[[nodiscard]] DigestError compare_digest(const std::vector<std::pair<std::string, torch::Tensor>>& named,
                                         const GoldenFile& golden, const std::string& prefix);

}  // namespace ringpose::tests
