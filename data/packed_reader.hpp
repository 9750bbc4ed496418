// Reads a packed frame file (FORMAT.md). The index and labels are held in memory, pixels are read on demand.
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "data/sample.hpp"
#include "data/sample_source.hpp"
#include "data/skeleton.hpp"

namespace ringpose::data {

/// Facts of the project that follow the data into checkpoints, scorer names and drawings.
struct ProjectFacts {
  std::string task;
  std::string scorer;
  std::string date;  ///< as in config.yaml, for example Oct30
  Skeleton skeleton;
  double pcutoff = 0.6;
  int dotsize = 12;
  double alphavalue = 0.7;
  std::string colormap = "rainbow";
  std::string skeleton_color = "black";
  double train_fraction = 0.95;
  int shuffle = 1;
  int iteration = 0;
};

/// Row numbers of the packed file used for training and testing.
struct Split {
  std::vector<std::int64_t> train;
  std::vector<std::int64_t> test;
};

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

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ringpose::data
