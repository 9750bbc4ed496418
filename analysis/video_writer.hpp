// Encodes RGB frames through libavcodec.
#pragma once
#include <filesystem>
#include <memory>
#include <string>

#include "data/sample.hpp"

namespace ringpose::analysis {

/// Defaults give what DeepLabCut's labelled videos are: MPEG-4 part 2 (mp4v), playable almost everywhere.
struct VideoWriterOptions {
  int width_px = 0;   ///< of the frames given to write(); an odd last column is cut off, as OpenCV's writer does
  int height_px = 0;  ///< likewise for an odd last row
  double fps = 30;    ///< kept as an exact fraction: 29.97 becomes 30000/1001
  std::string codec = "mpeg4";  ///< mpeg4 (DeepLabCut's mp4v) or libx264 (avc1)
  int bitrate_kbps = 0;  ///< 0: constant quality (mpeg4 quantizer 3, x264 CRF 20), so the size follows the content
  int gop_frames =
      0;  ///< frames from one keyframe to the next at most; 0: the codec's habit (12 for mpeg4, 250 for x264)
  int b_frames = -1;      ///< consecutive B-frames; -1: the codec's habit (0 for mpeg4, 3 for x264)
  bool open_gop = false;  ///< x264 only: leading pictures may refer to the GOP before
  int threads = 1;        ///< encoder threads
  /// Throws data::ConfigError.
  void validate() const;
};

/// Writes to a temporary name in the same folder; finish() completes and renames, the destructor without finish()
/// removes it. The container follows the file name: .mp4, .mov, .avi or .mkv. With mpeg4 the same frames and
/// options give the same bytes; x264 does not promise that. One thread at a time.
class VideoWriter {
 public:
  /// Throws data::ConfigError (options, unknown container), data::IoError (folder, codec not built into FFmpeg).
  VideoWriter(const std::filesystem::path& path, const VideoWriterOptions& options);
  ~VideoWriter();
  VideoWriter(const VideoWriter&) = delete;
  VideoWriter& operator=(const VideoWriter&) = delete;
  /// RGB, of the size announced (data::ConfigError otherwise). Throws data::IoError, for example when the disk is full.
  void write(const data::Image& frame);
  /// Throws data::IoError; also when no frame was written.
  void finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ringpose::analysis
