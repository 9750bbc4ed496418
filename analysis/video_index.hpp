// Every packet of a video, read once without decoding: the frame table that all ranks share.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace ringpose::analysis {

/// One frame in presentation order.
struct FrameEntry {
  std::int64_t pts = 0;      ///< stream time base
  std::int64_t ordinal = 0;  ///< packet number in file order
  bool key = false;
};

struct VideoIndex {
  int width_px = 0;  ///< after applying the display matrix
  int height_px = 0;
  double fps = 0;
  std::string codec;  ///< for example h264
  std::string pixel_format;
  std::vector<FrameEntry> frames;  ///< ascending pts
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(frames.size()); }
};

/// Throws data::IoError (cannot open, no video stream) or data::FormatError (truncated, variable frame rate, duplicate
/// or missing timestamps: refused in this version, with the reason and what to do).
[[nodiscard]] VideoIndex index_video(const std::filesystem::path& path);

}  // namespace ringpose::analysis
