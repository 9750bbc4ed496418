#include "data/sampler.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "data/error.hpp"
#include "data/random.hpp"

namespace ringpose::data {

Slice slice_of_batch(std::int64_t rows, int rank, int world_size) {
  if (rows < 0 || world_size < 1 || rank < 0 || rank >= world_size) {
    throw ConfigError("dividing a batch over ranks: " + std::to_string(rows) + " rows for rank " +
                      std::to_string(rank) + " of " + std::to_string(world_size) +
                      "; expected rows >= 0 and 0 <= rank < world size");
  }
  const std::int64_t share = rows / world_size;
  const std::int64_t larger_shares = rows % world_size;
  Slice slice;
  slice.first = rank * share + std::min<std::int64_t>(rank, larger_shares);
  slice.count = share + (rank < larger_shares ? 1 : 0);
  slice.padded = share + (larger_shares > 0 ? 1 : 0);
  return slice;
}

Sampler::Sampler(std::vector<std::int64_t> indices, std::int64_t global_batch, std::uint64_t seed)
    : indices_(std::move(indices)), global_batch_(global_batch), seed_(seed) {
  if (indices_.empty()) {
    throw ConfigError("making the sample order: the training set is empty; expected at least one labelled frame");
  }
  if (global_batch_ < 1) {
    throw ConfigError("making the sample order: batch size " + std::to_string(global_batch_) +
                      "; expected 1 or more images over all ranks");
  }
}

std::int64_t Sampler::steps_per_epoch() const {
  return (size() + global_batch_ - 1) / global_batch_;
}

std::vector<std::int64_t> Sampler::epoch_order(std::int64_t epoch) const {
  std::vector<std::int64_t> order = indices_;
  Random random({seed_, static_cast<std::uint64_t>(epoch)});
  for (std::size_t last = order.size() - 1; last > 0; --last) {
    std::swap(order[last], order[random.below(last + 1)]);
  }
  return order;
}

std::vector<std::int64_t> Sampler::batch(std::int64_t epoch, std::int64_t step) const {
  const std::vector<std::int64_t> order = epoch_order(epoch);
  const auto rows = batch_of(order, step);
  return {rows.begin(), rows.end()};
}

std::span<const std::int64_t> Sampler::batch_of(std::span<const std::int64_t> order, std::int64_t step) const {
  if (step < 0 || step >= steps_per_epoch()) {
    throw ConfigError("taking batch " + std::to_string(step) + " of an epoch: there are " +
                      std::to_string(steps_per_epoch()) + " (counted from 0)");
  }
  const std::int64_t first = step * global_batch_;
  const std::int64_t count = std::min(global_batch_, size() - first);
  return order.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
}

}  // namespace ringpose::data
