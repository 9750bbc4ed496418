// Threads that read, decode and augment, and hand out batches in a fixed order that does not depend on the number of
// threads.
#pragma once
#include <cstdint>
#include <memory>

#include "data/augmentation.hpp"
#include "data/sample.hpp"
#include "data/sample_source.hpp"
#include "data/sampler.hpp"

namespace ringpose::data {

struct LoaderOptions {
  std::uint64_t seed = 42;  ///< of the augmentation; a sample's draw is keyed by (seed, epoch, position in the epoch)
  int rank = 0;
  int world_size = 1;
  int threads = 1;                                         ///< decode and augmentation threads
  int prefetch_batches = 4;                                ///< batches made ahead of next()
  bool cache_decoded = true;                               ///< keep decoded images in memory up to cache_limit_bytes
  std::int64_t cache_limit_bytes = std::int64_t{4} << 30;  ///< images beyond the limit are decoded anew in each epoch
  AugmentationOptions augmentation;
};

/// Endless stream of training batches, epoch after epoch. Every batch is a pure function of (source, sampler, seed,
/// rank, world size, epoch, step): threads, cache and prefetch never change a byte, and the slices of all ranks put
/// together are the batch of a single rank. One thread may call start() and next(); destruction stops the workers
/// within one image's time.
class Loader {
 public:
  /// Source and sampler must outlive the loader. Throws ConfigError when an option is out of range, or when images of
  /// different sizes meet a batch size above 1 without a crop. Sets OpenCV's own threads to 1 for the process.
  Loader(const SampleSource& source, const Sampler& sampler, LoaderOptions options);
  ~Loader();
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;
  /// Starts (or restarts) at a step; epoch and step are 0-based. The step after an epoch's last is the next epoch's
  /// first. Throws ConfigError when one is negative.
  void start(std::int64_t epoch, std::int64_t step);
  /// The next batch. Blocks; the time spent blocked is the data wait. Starts at (0, 0) if start() was never called.
  /// Rethrows what a worker threw for this batch, and again at every later call until start().
  [[nodiscard]] Batch next();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ringpose::data
