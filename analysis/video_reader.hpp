// Decodes a range of frames exactly: seeks by the index's keyframes, identifies frames by pts.
#pragma once
#include <filesystem>
#include <memory>

#include "analysis/video_index.hpp"
#include "analysis/video_splitter.hpp"
#include "data/sample.hpp"

namespace ringpose::analysis {

struct VideoReaderOptions {
  int threads = 1;  ///< decoder threads
};

/// Reads frames first, first+1, ... end-1 of the index as RGB.
class VideoReader {
 public:
  /// Throws data::IoError or data::FormatError.
  VideoReader(const std::filesystem::path& path, const VideoIndex& index, FrameRange range,
              VideoReaderOptions options = {});
  ~VideoReader();
  VideoReader(const VideoReader&) = delete;
  VideoReader& operator=(const VideoReader&) = delete;
  /// False at the end of the range. Throws data::FormatError naming the frame when it cannot be decoded.
  [[nodiscard]] bool next(data::Image& frame);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ringpose::analysis
