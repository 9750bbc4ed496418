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
  std::int64_t ordinal = 0;  ///< packet number in file order, counted within the video stream
  bool key = false;          ///< decoding may start here
  bool operator==(const FrameEntry&) const = default;
};

/// What all ranks must agree on about a video. Frame i of everything in analysis is frames[i].
struct VideoIndex {
  int width_px = 0;  ///< after applying the display matrix
  int height_px = 0;
  double fps = 0;
  std::string codec;  ///< for example h264
  std::string pixel_format;
  std::vector<FrameEntry> frames;  ///< ascending pts
  int stream = 0;                  ///< stream number in the container
  int rotation_degrees = 0;        ///< clockwise, 0, 90, 180 or 270: from the display matrix, applied to every frame
  std::int64_t packets = 0;        ///< all packets of the stream, those an edit list hides included
  /// False for streams that carry no usable timestamps (raw H.264, H.264 in AVI): frames are then counted by decoding,
  /// pts is the frame number, and every reader decodes from the beginning of the file: slower, still exact.
  bool timestamps = true;

  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(frames.size()); }
  bool operator==(const VideoIndex&) const = default;
};

/// Reads all packets and decodes the last frame as a check. Frames that an edit list hides are not counted, attached
/// pictures are ignored, and the count is never taken from the container's header. Throws data::IoError (cannot open,
/// no video stream) or data::FormatError (truncated, variable frame rate, duplicate timestamps, mirrored or oddly
/// rotated: refused in this version, with the reason and what to do).
[[nodiscard]] VideoIndex index_video(const std::filesystem::path& path);

/// Bytes for sending an index to other ranks of the same program, and back. Throws data::FormatError on foreign bytes.
[[nodiscard]] std::string serialize_index(const VideoIndex& index);
[[nodiscard]] VideoIndex deserialize_index(const std::string& bytes);

}  // namespace ringpose::analysis
