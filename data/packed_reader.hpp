// Reads a packed frame file (FORMAT.md). The index and labels are held in memory, pixels are read on demand.
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "data/packed_index.hpp"
#include "data/project_facts.hpp"
#include "data/sample.hpp"
#include "data/sample_source.hpp"
#include "data/split.hpp"

namespace ringpose::data {

/// Thread-safe after construction: read_sample() may be called from several threads (pread, no HDF5 call).
class PackedReader final : public SampleSource {
 public:
  /// Throws FormatError (not ours, incomplete, truncated, newer major version) or IoError.
  explicit PackedReader(const std::filesystem::path& path);
  ~PackedReader() override;
  PackedReader(PackedReader&&) noexcept;
  PackedReader& operator=(PackedReader&&) noexcept;

  [[nodiscard]] std::int64_t size() const override;
  [[nodiscard]] const ProjectFacts& project() const;
  [[nodiscard]] const Split& split() const;
  /// Hex digest over index, labels and checksums: names the data set in checkpoints.
  [[nodiscard]] const std::string& content_digest() const;
  [[nodiscard]] int height_px(std::int64_t row) const override;
  [[nodiscard]] int width_px(std::int64_t row) const override;
  /// For example labeled-data/m4s1/img0000.png.
  [[nodiscard]] const std::string& image_name(std::int64_t row) const;
  [[nodiscard]] std::vector<Keypoint> keypoints(std::int64_t row) const override;
  /// Decoded RGB image with its keypoints. Throws FormatError when the checksum or the codec data are wrong.
  [[nodiscard]] Sample read_sample(std::int64_t row) const override;
  /// Everything the file says about its samples.
  [[nodiscard]] const PackedIndex& index() const;
  /// How the file came to be (FORMAT.md, /provenance/json).
  [[nodiscard]] const std::string& provenance_json() const;
  /// Reads every sample and checks its checksum. Throws FormatError naming the first that is wrong, or IoError.
  void verify() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ringpose::data
