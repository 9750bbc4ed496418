#include "analysis/video_index.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <optional>
#include <string>

#include "analysis/frame_timing.hpp"
#include "analysis/video_file.hpp"
#include "analysis/video_reader.hpp"
#include "data/error.hpp"

namespace ringpose::analysis {
namespace {

// A Matroska header's length is rounded and may include the start of the stream.
constexpr double kLengthSlackFrames = 3;
constexpr double kLengthSlackShare = 0.01;
constexpr const char* kReencode =
    " Re-encode it at a constant frame rate first, for example: ffmpeg -i IN -fps_mode cfr -c:v libx264 -crf 17 "
    "OUT.mp4";

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& reason, const char* advice) {
  throw data::FormatError(fmt::format("cannot use the video {}: {}.{}", path.string(), reason, advice));
}

std::optional<std::int64_t> known(std::int64_t time) {
  return time == AV_NOPTS_VALUE ? std::nullopt : std::optional<std::int64_t>(time);
}

struct Scan {
  std::vector<PacketTimes> packets;
  int end_code = 0;  ///< why reading stopped
};

Scan scan_packets(const VideoFile& file) {
  Scan scan;
  const auto packet = libav::make_packet();
  while ((scan.end_code = av_read_frame(file.input.get(), packet.get())) >= 0) {
    if (packet->stream_index == file.stream->index)
      scan.packets.push_back({known(packet->pts), known(packet->dts), (packet->flags & AV_PKT_FLAG_KEY) != 0,
                              (packet->flags & AV_PKT_FLAG_DISCARD) != 0});
    av_packet_unref(packet.get());
  }
  return scan;
}

/// Frames that the container's own tables promise; 0 where it has none.
std::int64_t promised_packets(const VideoFile& file) {
  const std::string container = file.input->iformat->name;
  if (container.find("mp4") != std::string::npos) return avformat_index_get_entries_count(file.stream);
  if (container == "avi") return file.stream->nb_frames;
  return 0;
}

/// Length that Matroska's header promises for the video stream; 0 where it is unknown.
double promised_seconds(const VideoFile& file) {
  if (std::string(file.input->iformat->name).find("matroska") == std::string::npos) return 0;
  int hours = 0, minutes = 0;
  double seconds = 0;
  const AVDictionaryEntry* tag = av_dict_get(file.stream->metadata, "DURATION", nullptr, 0);
  if (tag != nullptr && std::sscanf(tag->value, "%d:%d:%lf", &hours, &minutes, &seconds) == 3)
    return hours * 3600 + minutes * 60 + seconds;
  const bool alone = file.input->nb_streams == 1 && file.input->duration != AV_NOPTS_VALUE;
  return alone ? static_cast<double>(file.input->duration) / AV_TIME_BASE : 0;
}

constexpr const char* kCopyAgain = " Copy it again from its source, or repair it: ffmpeg -i IN -c copy OUT.mp4";

void check_complete(const VideoFile& file, const Scan& scan, const std::filesystem::path& path) {
  const auto found = static_cast<std::int64_t>(scan.packets.size());
  if (found == 0) refuse(path, "it holds no frame", " Record it again, or take it out of the list.");
  if (const auto promised = promised_packets(file); found < promised)
    refuse(path, fmt::format("it is truncated: {} of {} frames are there", found, promised), kCopyAgain);
  const bool read_failed = scan.end_code != AVERROR_EOF || (file.input->pb != nullptr && file.input->pb->error < 0);
  if (read_failed)
    refuse(path,
           fmt::format("reading stopped after {} frames ({}); it is truncated or damaged", found,
                       libav::error_text(scan.end_code)),
           kCopyAgain);
}

void check_length(const VideoIndex& index, const VideoFile& file, const std::filesystem::path& path) {
  const double promised_s = promised_seconds(file);
  const double found_s = static_cast<double>(index.size()) / index.fps;
  if (promised_s - found_s > kLengthSlackFrames / index.fps + kLengthSlackShare * promised_s)
    refuse(path, fmt::format("it is truncated: {:.2f} of {:.2f} seconds are there", found_s, promised_s), kCopyAgain);
}

/// H.264 and HEVC only tell from the pictures themselves whether they are stored in another order than shown.
bool reorders_frames(const AVCodecParameters& parameters) {
  const bool unknown_delay = parameters.codec_id == AV_CODEC_ID_H264 || parameters.codec_id == AV_CODEC_ID_HEVC;
  return unknown_delay || parameters.video_delay > 0;
}

std::int64_t count_decoded_frames(const std::filesystem::path& path, int stream) {
  const VideoFile file = open_video(path, stream);
  const auto decoder = open_decoder(file, 1, path);
  const auto packet = libav::make_packet();
  const auto picture = libav::make_frame();
  std::int64_t count = 0;
  for (bool reading = true; reading;) {
    reading = av_read_frame(file.input.get(), packet.get()) >= 0;
    if (reading && packet->stream_index != file.stream->index) continue;
    avcodec_send_packet(decoder.get(), reading ? packet.get() : nullptr);
    av_packet_unref(packet.get());
    while (avcodec_receive_frame(decoder.get(), picture.get()) >= 0) ++count;
  }
  return count;
}

void fill_frames(VideoIndex& index, const VideoFile& file, const Scan& scan, const std::filesystem::path& path) {
  const double declared_fps = av_q2d(av_guess_frame_rate(file.input.get(), file.stream, nullptr));
  const TimestampUse use = timestamp_use(scan.packets, reorders_frames(*file.stream->codecpar));
  index.packets = static_cast<std::int64_t>(scan.packets.size());
  index.timestamps = use != TimestampUse::none;
  if (index.timestamps) {
    index.frames = presentation_order(scan.packets, use);
    const double seconds_per_tick = av_q2d(file.stream->time_base);
    if (const auto fault = timing_fault(index.frames, seconds_per_tick)) refuse(path, *fault, kReencode);
    index.fps = frame_rate_of(index.frames, seconds_per_tick, declared_fps);
    return;
  }
  const std::int64_t count = count_decoded_frames(path, file.stream->index);
  for (std::int64_t i = 0; i < count; ++i) index.frames.push_back({i, i, i == 0});
  index.fps = declared_fps;
}

void check_last_frame(const VideoIndex& index, const std::filesystem::path& path) {
  VideoReader reader(path, index, {index.size() - 1, index.size()});
  data::Image frame;
  static_cast<void>(reader.next(frame));
}

}  // namespace

VideoIndex index_video(const std::filesystem::path& path) {
  const VideoFile file = open_video(path);
  const AVCodecParameters& parameters = *file.stream->codecpar;
  VideoIndex index;
  index.stream = file.stream->index;
  index.rotation_degrees = display_rotation_degrees(*file.stream, path);
  const bool sideways = index.rotation_degrees % 180 != 0;
  index.width_px = sideways ? parameters.height : parameters.width;
  index.height_px = sideways ? parameters.width : parameters.height;
  index.codec = avcodec_get_name(parameters.codec_id);
  const char* format = av_get_pix_fmt_name(static_cast<AVPixelFormat>(parameters.format));
  index.pixel_format = format != nullptr ? format : "unknown";
  const Scan scan = scan_packets(file);
  check_complete(file, scan, path);
  fill_frames(index, file, scan, path);
  if (index.frames.empty()) refuse(path, "none of its frames can be shown", kReencode);
  if (!(index.fps > 0)) refuse(path, "its frame rate is unknown", kReencode);
  check_length(index, file, path);
  check_last_frame(index, path);
  return index;
}

}  // namespace ringpose::analysis
