#include "analysis/video_file.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "data/atomic_file.hpp"
#include "data/error.hpp"

namespace ringpose::analysis {
namespace {

constexpr int kFull = 65536;  // 1.0 in the display matrix' 16.16 fixed point

[[noreturn]] void fail_open(const std::filesystem::path& path, int code) {
  if (code == AVERROR(ENOENT) || code == AVERROR(EACCES) || code == AVERROR(EISDIR))
    throw data::IoError(data::io_message("open the video", path, AVUNERROR(code)));
  throw data::IoError(
      fmt::format("cannot open the video {}: {} (not a video, cut off before its index was written, or a format "
                  "FFmpeg does not know; check it with: ffprobe FILE)",
                  path.string(), libav::error_text(code)));
}

bool is_video(const AVStream& stream) {
  return stream.codecpar->codec_type == AVMEDIA_TYPE_VIDEO && !(stream.disposition & AV_DISPOSITION_ATTACHED_PIC);
}

AVStream* choose_stream(const AVFormatContext& input) {
  const int best = av_find_best_stream(const_cast<AVFormatContext*>(&input), AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
  if (best >= 0 && is_video(*input.streams[best])) return input.streams[best];
  for (unsigned i = 0; i < input.nb_streams; ++i)
    if (is_video(*input.streams[i])) return input.streams[i];
  return nullptr;
}

}  // namespace

VideoFile open_video(const std::filesystem::path& path, std::optional<int> stream) {
  libav::silence_log();
  if (std::filesystem::is_directory(path)) fail_open(path, AVERROR(EISDIR));
  VideoFile file;
  AVFormatContext* raw = nullptr;
  // "file:" keeps names with a colon from being taken for a protocol.
  if (const int code = avformat_open_input(&raw, ("file:" + path.string()).c_str(), nullptr, nullptr); code < 0)
    fail_open(path, code);
  file.input.reset(raw);
  if (const int code = avformat_find_stream_info(raw, nullptr); code < 0) fail_open(path, code);
  file.stream = stream && *stream < static_cast<int>(raw->nb_streams) ? raw->streams[*stream] : choose_stream(*raw);
  if (file.stream == nullptr || file.stream->codecpar->width <= 0 || file.stream->codecpar->height <= 0)
    throw data::IoError(
        fmt::format("cannot open the video {}: it has no video stream that can be shown", path.string()));
  for (unsigned i = 0; i < raw->nb_streams; ++i)
    if (raw->streams[i] != file.stream) raw->streams[i]->discard = AVDISCARD_ALL;
  return file;
}

libav::Codec open_decoder(const VideoFile& file, int threads, const std::filesystem::path& path) {
  const AVCodecParameters& parameters = *file.stream->codecpar;
  const AVCodec* codec = avcodec_find_decoder(parameters.codec_id);
  if (codec == nullptr)
    throw data::IoError(fmt::format("cannot decode the video {}: this FFmpeg has no decoder for {}", path.string(),
                                    avcodec_get_name(parameters.codec_id)));
  libav::Codec decoder(avcodec_alloc_context3(codec));
  if (!decoder) throw std::bad_alloc();
  int code = avcodec_parameters_to_context(decoder.get(), &parameters);
  decoder->thread_count = threads;
  decoder->pkt_timebase = file.stream->time_base;
  if (code >= 0) code = avcodec_open2(decoder.get(), codec, nullptr);
  if (code < 0)
    throw data::IoError(fmt::format("cannot decode the video {}: {}", path.string(), libav::error_text(code)));
  return decoder;
}

int display_rotation_degrees(const AVStream& stream, const std::filesystem::path& path) {
  const std::uint8_t* bytes = av_stream_get_side_data(&stream, AV_PKT_DATA_DISPLAYMATRIX, nullptr);
  if (bytes == nullptr) return 0;
  std::int32_t matrix[9];
  std::memcpy(matrix, bytes, sizeof matrix);
  const std::int64_t determinant = std::int64_t{matrix[0]} * matrix[4] - std::int64_t{matrix[1]} * matrix[3];
  const double counterclockwise = av_display_rotation_get(matrix);
  const double quarter_turns = counterclockwise / 90;
  if (determinant < 0 || std::isnan(quarter_turns) || std::abs(quarter_turns - std::round(quarter_turns)) > 0.01 ||
      std::abs(determinant) < kFull)
    throw data::FormatError(
        fmt::format("cannot use the video {}: its display matrix mirrors the picture or turns it by {:.1f} "
                    "degrees; only turns by 90, 180 and 270 degrees are supported. Re-encode it first: "
                    "ffmpeg -i IN OUT.mp4",
                    path.string(), counterclockwise));
  return static_cast<int>((720 - 90 * std::lround(quarter_turns)) % 360);
}

}  // namespace ringpose::analysis
