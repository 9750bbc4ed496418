// Packets of the video stream from a keyframe on, each with the number of the frame it holds. Internal to analysis.
#pragma once
#include <filesystem>
#include <vector>

#include "analysis/video_file.hpp"
#include "analysis/video_index.hpp"

namespace ringpose::analysis {

/// Gives every packet its frame number as pts (AV_NOPTS_VALUE for packets an edit list hides), so decoders hand back
/// frame numbers whatever the container's clock looks like.
class PacketSource {
 public:
  /// `index` must outlive the source.
  PacketSource(const std::filesystem::path& path, const VideoIndex& index);
  [[nodiscard]] const VideoFile& file() const { return file_; }
  /// Goes to the beginning of the file.
  void rewind();
  /// Goes to the last keyframe shown at or before frame `first`, or to the beginning of the file where there is none:
  /// by the container's seek, checked against the index; by reading from the beginning where the seek lands late or
  /// cannot be recognised. Returns the keyframe's number, 0 for the beginning.
  std::int64_t start_at(std::int64_t first);
  /// False at the end of the file. Throws data::FormatError when the file ends early or was changed since it was
  /// indexed.
  [[nodiscard]] bool read(AVPacket& packet);

 private:
  [[nodiscard]] bool read_raw(AVPacket& packet);
  [[nodiscard]] bool seek_to(const FrameEntry& key);
  [[nodiscard]] std::int64_t frame_of_time(std::int64_t time) const;

  std::filesystem::path path_;
  const VideoIndex& index_;
  std::vector<std::int64_t> frame_of_ordinal_;  ///< -1: hidden
  VideoFile file_;
  std::int64_t next_ordinal_ = 0;
  libav::Packet held_;  ///< the first packet after a seek, read to learn where it landed
  bool holds_packet_ = false;
};

}  // namespace ringpose::analysis
