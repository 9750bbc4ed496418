// Decoded images kept in memory, so that later epochs need no decoding.
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "data/sample.hpp"
#include "data/sample_source.hpp"

namespace ringpose::data {

/// Reads images through a cache. The first images that fit the limit stay until destruction: with a new random order in
/// each epoch, evicting one image for another would not raise the share of hits. Thread-safe.
class ImageCache {
 public:
  /// The source must outlive the cache. limit_bytes 0 keeps nothing.
  ImageCache(const SampleSource& source, std::int64_t limit_bytes) : source_(source), limit_bytes_(limit_bytes) {}

  /// The decoded image of a row. Throws what SampleSource::read_sample() throws.
  [[nodiscard]] std::shared_ptr<const Image> get(std::int64_t row) {
    {
      const std::lock_guard lock(mutex_);
      if (const auto found = images_.find(row); found != images_.end()) return found->second;
    }
    auto image = std::make_shared<const Image>(source_.read_sample(row).image);
    keep(row, image);
    return image;
  }

 private:
  void keep(std::int64_t row, const std::shared_ptr<const Image>& image) {
    const auto bytes = static_cast<std::int64_t>(image->pixels_HWC.size());
    const std::lock_guard lock(mutex_);
    if (held_bytes_ + bytes > limit_bytes_) return;
    if (images_.emplace(row, image).second) held_bytes_ += bytes;
  }

  const SampleSource& source_;
  const std::int64_t limit_bytes_;
  std::mutex mutex_;
  std::unordered_map<std::int64_t, std::shared_ptr<const Image>> images_;
  std::int64_t held_bytes_ = 0;
};

}  // namespace ringpose::data
