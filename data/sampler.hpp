// The order in which samples are seen: a pure function of (seed, epoch), never of rank or world size.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace ringpose::data {

/// Rows of one global batch that a rank computes. Slices of the ranks differ by at most one row and follow each other.
struct Slice {
  std::int64_t first = 0;   ///< first row within the global batch
  std::int64_t count = 0;   ///< real rows
  std::int64_t padded = 0;  ///< rows after padding, equal on all ranks: ceil(rows / world_size)
};

/// Contiguous share of `rows` for `rank` of `world_size`: the first rows % world_size ranks get one more.
/// Throws ConfigError when rows < 0 or the rank is not in [0, world_size).
[[nodiscard]] Slice slice_of_batch(std::int64_t rows, int rank, int world_size);

/// Epoch order of the samples and its cut into global batches; the last batch of an epoch may be smaller (as in
/// DeepLabCut). Immutable after construction: all members may be called from several threads.
class Sampler {
 public:
  /// `indices`: packed-file rows to draw from. Throws ConfigError when empty or global_batch < 1.
  Sampler(std::vector<std::int64_t> indices, std::int64_t global_batch, std::uint64_t seed);
  [[nodiscard]] std::int64_t steps_per_epoch() const;
  [[nodiscard]] std::int64_t global_batch() const { return global_batch_; }
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(indices_.size()); }
  /// The packed-file rows as given, not shuffled.
  [[nodiscard]] const std::vector<std::int64_t>& indices() const { return indices_; }
  /// Fisher-Yates permutation of the indices for one epoch. Takes time proportional to size().
  [[nodiscard]] std::vector<std::int64_t> epoch_order(std::int64_t epoch) const;
  /// Packed-file rows of global batch `step` of `epoch`, in order. Throws ConfigError when the epoch has no such step.
  [[nodiscard]] std::vector<std::int64_t> batch(std::int64_t epoch, std::int64_t step) const;
  /// The part of an epoch_order() that is global batch `step`: for callers that keep the order over an epoch.
  [[nodiscard]] std::span<const std::int64_t> batch_of(std::span<const std::int64_t> order, std::int64_t step) const;

 private:
  std::vector<std::int64_t> indices_;
  std::int64_t global_batch_;
  std::uint64_t seed_;
};

}  // namespace ringpose::data
