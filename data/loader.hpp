// Threads that read, decode and augment, and hand out batches in a fixed order that does not depend on the number of threads.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "data/augmentation.hpp"
#include "data/packed_reader.hpp"
#include "data/sample.hpp"
#include "data/sampler.hpp"

namespace ringpose::data {

struct LoaderOptions {
  std::uint64_t seed = 42;
  int rank = 0;
  int world_size = 1;
  int threads = 1;              ///< decode and augmentation threads
  int prefetch_batches = 4;
  bool cache_decoded = true;    ///< keep decoded images in memory when they fit cache_limit_bytes
  std::int64_t cache_limit_bytes = std::int64_t{4} << 30;
  AugmentationOptions augmentation;
};

/// Endless stream of training batches, epoch after epoch. An exception in a worker is rethrown by next().
class Loader {
 public:
  /// The reader and sampler must outlive the loader.
  Loader(const PackedReader& reader, const Sampler& sampler, LoaderOptions options);
  ~Loader();
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;
  /// Starts (or restarts) at a step; epoch and step are 0-based.
  void start(std::int64_t epoch, std::int64_t step);
  /// The next batch. Blocks; the time spent blocked is the data wait.
  [[nodiscard]] Batch next();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ringpose::data
