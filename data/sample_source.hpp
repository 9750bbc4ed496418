// What the loader needs from a store of labelled frames. PackedReader is the real one; tests use their own.
#pragma once
#include <cstdint>
#include <vector>

#include "data/sample.hpp"

namespace ringpose::data {

/// Rows of labelled frames. All members may be called from several threads at once.
class SampleSource {
 public:
  virtual ~SampleSource() = default;

  [[nodiscard]] virtual std::int64_t size() const = 0;
  /// Image size of a row, known without decoding.
  [[nodiscard]] virtual int height_px(std::int64_t row) const = 0;
  [[nodiscard]] virtual int width_px(std::int64_t row) const = 0;
  /// Keypoints of a row in bodypart order, equally many for every row.
  [[nodiscard]] virtual std::vector<Keypoint> keypoints(std::int64_t row) const = 0;
  /// Decoded RGB image with its keypoints. Throws a typed error of data/error.hpp when the stored data are wrong.
  [[nodiscard]] virtual Sample read_sample(std::int64_t row) const = 0;

 protected:
  SampleSource() = default;
  SampleSource(const SampleSource&) = default;
  SampleSource(SampleSource&&) = default;
  SampleSource& operator=(const SampleSource&) = default;
  SampleSource& operator=(SampleSource&&) = default;
};

}  // namespace ringpose::data
