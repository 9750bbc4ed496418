#include "tests/support/golden_values.hpp"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "trainer/safetensors.hpp"

namespace ringpose::tests {

namespace {

constexpr int kProjections = 8;
constexpr std::int64_t kSamples = 256;

std::uint64_t key_of(const std::string& name) {
  std::uint64_t key = 0xCBF29CE484222325ULL;
  for (const char character : name) key = (key ^ static_cast<unsigned char>(character)) * 0x100000001B3ULL;
  return key;
}

std::uint64_t bits_of(std::uint64_t key, std::int64_t index) {
  std::uint64_t z = key + (static_cast<std::uint64_t>(index) + 1) * 0x9E3779B97F4A7C15ULL;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

/// Sums over one tensor: how its values differ from the digest's.
struct TensorSums {
  double norm = 0;
  std::array<double, kProjections> projections{};
  double sample_error_squared = 0;
};

TensorSums sums_of(const std::string& name, const torch::Tensor& tensor, const float* samples) {
  const torch::Tensor flat = tensor.detach().to(torch::kFloat64).contiguous().flatten();
  const double* values = flat.const_data_ptr<double>();
  const std::int64_t size = flat.numel(), count = std::min(kSamples, size), stride = size / count;
  const std::uint64_t key = key_of("sign " + name);
  TensorSums sums;
  for (std::int64_t i = 0; i < size; ++i) {
    const std::uint64_t signs = bits_of(key, i);
    sums.norm += values[i] * values[i];
    for (std::size_t j = 0; j < kProjections; ++j)
      sums.projections[j] += (signs >> j & 1) != 0 ? values[i] : -values[i];
  }
  sums.norm = std::sqrt(sums.norm);
  for (std::int64_t i = 0; i < count; ++i)
    sums.sample_error_squared += std::pow(values[i * stride] - static_cast<double>(samples[i]), 2);
  return sums;
}

}  // namespace

std::uint64_t golden_bits(const std::string& name, std::int64_t index) {
  return bits_of(key_of(name), index);
}

torch::Tensor golden_tensor(const std::string& name, const std::vector<std::int64_t>& shape, double low, double high) {
  torch::Tensor result = at::empty(shape, torch::kFloat32);
  float* values = result.mutable_data_ptr<float>();
  const std::uint64_t key = key_of(name);
  for (std::int64_t i = 0; i < result.numel(); ++i)
    values[i] = static_cast<float>(low + (high - low) * (static_cast<double>(bits_of(key, i) >> 40) * 0x1p-24));
  return result;
}

torch::Tensor golden_weight(const std::string& name, const std::vector<std::int64_t>& shape) {
  if (shape.size() == 1)
    return name.ends_with("bias") ? golden_tensor(name, shape, -0.1, 0.1) : golden_tensor(name, shape, 0.5, 1.5);
  const std::int64_t outputs = name.starts_with("heads.") ? shape[1] : shape[0];
  const std::int64_t size = std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
  const double bound = std::sqrt(6.0 / static_cast<double>(size / outputs));
  return golden_tensor(name, shape, -bound, bound);
}

GoldenFile read_golden(const std::string& file) {
  const trainer::TensorFile read =
      trainer::read_safetensors(std::string(RINGPOSE_SOURCE_DIR) + "/tests/golden/" + file);
  GoldenFile golden{.tensors = {read.tensors.begin(), read.tensors.end()}, .facts = {}};
  if (read.metadata.contains("facts")) golden.facts = nlohmann::json::parse(read.metadata.at("facts"));
  return golden;
}

DigestError compare_digest(const std::vector<std::pair<std::string, torch::Tensor>>& named, const GoldenFile& golden,
                           const std::string& prefix) {
  const torch::Tensor norms = golden.tensors.at(prefix + "_norms"),
                      projections = golden.tensors.at(prefix + "_projections");
  const torch::Tensor samples = golden.tensors.at(prefix + "_samples");
  if (norms.numel() != static_cast<std::int64_t>(named.size()))
    throw std::runtime_error("the digest is of another number of tensors");
  DigestError error;
  double norm_squared = 0, error_squared = 0, sample_error_squared = 0;
  std::int64_t first_sample = 0;
  for (std::size_t t = 0; t < named.size(); ++t) {
    const auto& [name, tensor] = named[t];
    const TensorSums sums = sums_of(name, tensor, samples.const_data_ptr<float>() + first_sample);
    first_sample += std::min(kSamples, tensor.numel());
    const double norm = norms.const_data_ptr<double>()[t];
    double tensor_error_squared = 0;  // the mean square of a random signed sum is the sum of squares
    for (std::size_t j = 0; j < kProjections; ++j)
      tensor_error_squared +=
          std::pow(sums.projections[j] - projections.const_data_ptr<double>()[t * kProjections + j], 2) / kProjections;
    norm_squared += norm * norm;
    error_squared += tensor_error_squared;
    sample_error_squared += sums.sample_error_squared;
    error.worst_norm = std::max(error.worst_norm, std::abs(sums.norm - norm) / norm);
    if (std::sqrt(tensor_error_squared) / norm > error.worst_tensor) {
      error.worst_tensor = std::sqrt(tensor_error_squared) / norm;
      error.worst_name = name;
    }
  }
  if (first_sample != samples.numel()) throw std::runtime_error("the digest is of tensors of other sizes");
  error.global = std::sqrt(error_squared / norm_squared);
  error.samples = std::sqrt(sample_error_squared) / samples.norm().item<double>();
  return error;
}

}  // namespace ringpose::tests
