// An opened video: container, the chosen stream, and a decoder for it. Internal to analysis.
#pragma once
#include <filesystem>
#include <optional>

#include "analysis/libav.hpp"

namespace ringpose::analysis {

/// Container with its video stream; owns both.
struct VideoFile {
  libav::Input input;
  AVStream* stream = nullptr;
};

/// Opens the container. `stream`: number to use; without it FFmpeg's best video stream that is not an attached picture.
/// Throws data::IoError: cannot open, not a video, no video stream.
[[nodiscard]] VideoFile open_video(const std::filesystem::path& path, std::optional<int> stream = std::nullopt);

/// Throws data::IoError when FFmpeg has no decoder for the stream.
[[nodiscard]] libav::Codec open_decoder(const VideoFile& file, int threads, const std::filesystem::path& path);

/// Clockwise rotation that players (and OpenCV) apply. Throws data::FormatError on mirrored or odd angles.
[[nodiscard]] int display_rotation_degrees(const AVStream& stream, const std::filesystem::path& path);

}  // namespace ringpose::analysis
