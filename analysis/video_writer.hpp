// Encodes RGB frames through libavcodec.
#pragma once
#include <filesystem>
#include <memory>
#include <string>

#include "data/sample.hpp"

namespace ringpose::analysis {

struct VideoWriterOptions {
  int width_px = 0;
  int height_px = 0;
  double fps = 30;
  std::string codec = "mpeg4";  ///< mpeg4 (DeepLabCut's mp4v) or libx264
  int bitrate_kbps = 0;         ///< 0: chosen from the size
};

/// Writes to a temporary name in the same folder; finish() completes and renames, the destructor without finish() removes it.
class VideoWriter {
 public:
  /// Throws data::IoError.
  VideoWriter(const std::filesystem::path& path, const VideoWriterOptions& options);
  ~VideoWriter();
  VideoWriter(const VideoWriter&) = delete;
  VideoWriter& operator=(const VideoWriter&) = delete;
  void write(const data::Image& frame);
  void finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ringpose::analysis
