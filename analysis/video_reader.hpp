// Decodes a range of frames exactly: seeks by the index's keyframes, identifies frames by their place in the index.
#pragma once
#include <filesystem>
#include <memory>

#include "analysis/video_index.hpp"
#include "analysis/video_splitter.hpp"
#include "data/sample.hpp"

namespace ringpose::analysis {

struct VideoReaderOptions {
  int threads = 1;  ///< decoder threads; the pixels do not depend on it
};

/// Reads frames first, first+1, ... end-1 of the index as RGB, turned upright. Any split of a video into ranges gives
/// the same bytes as one sequential read: decoding starts at the keyframe at or before `first`, and pictures before it
/// are dropped. Colours: matrix and range of the stream, BT.601 limited range where it does not say, as OpenCV 5
/// converts them. One thread at a time.
class VideoReader {
 public:
  /// `index` must come from index_video(path) and outlive the reader. Throws data::IoError or data::FormatError.
  VideoReader(const std::filesystem::path& path, const VideoIndex& index, FrameRange range,
              VideoReaderOptions options = {});
  ~VideoReader();
  VideoReader(const VideoReader&) = delete;
  VideoReader& operator=(const VideoReader&) = delete;
  /// False at the end of the range. Reuses the memory of `frame`. Throws data::FormatError naming the frame when it
  /// cannot be decoded.
  [[nodiscard]] bool next(data::Image& frame);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ringpose::analysis
