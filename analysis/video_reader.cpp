#include "analysis/video_reader.hpp"

#include <fmt/format.h>

#include <string>

#include "analysis/frame_converter.hpp"
#include "analysis/packet_source.hpp"
#include "data/error.hpp"

namespace ringpose::analysis {

struct VideoReader::Impl {
  std::filesystem::path path;
  const VideoIndex& index;
  FrameRange range;
  int threads;
  PacketSource packets;
  libav::Codec decoder;
  FrameConverter converter;
  libav::Packet packet = libav::make_packet();
  libav::Frame picture = libav::make_frame();
  std::int64_t wanted;
  std::int64_t started_at = 0;  ///< frame number of the keyframe decoding began with
  std::int64_t decoded = 0;     ///< pictures so far; the frame number where the stream has no timestamps
  int attempts = 0;             ///< restarts for the frame wanted
  bool draining = false;

  Impl(const std::filesystem::path& p, const VideoIndex& i, FrameRange r, VideoReaderOptions options)
      : path(p),
        index(i),
        range(r),
        threads(options.threads),
        packets(p, i),
        converter(i.rotation_degrees),
        wanted(r.first) {
    start_at(range.first);
  }

  void start_at(std::int64_t frame) {
    decoder = open_decoder(packets.file(), threads, path);
    prime_decoder();
    started_at = packets.start_at(frame);
    decoded = 0;
    draining = false;
  }

  /// x264 writes its version only into the first packet, and FFmpeg needs it: builds before 151 coded 4:4:4 pictures in
  /// another way. A decoder that starts in the middle would show slightly different pixels, so it is shown the first
  /// packet before.
  void prime_decoder() {
    packets.rewind();
    if (!packets.read(*packet)) return;
    packet->pts = AV_NOPTS_VALUE;
    avcodec_send_packet(decoder.get(), packet.get());
    avcodec_receive_frame(decoder.get(), picture.get());
    avcodec_flush_buffers(decoder.get());
  }

  /// Decoders may hold back a keyframe that is not a clean start (an open GOP with nothing behind it). Before a frame
  /// is called damaged, it is tried from one keyframe earlier, then from the beginning of the file.
  bool start_earlier() {
    if (started_at == 0 || attempts == 2) return false;
    start_at(attempts++ == 0 ? started_at - 1 : 0);
    return true;
  }

  [[noreturn]] void fail(const std::string& reason) const {
    throw data::FormatError(
        fmt::format("cannot decode frame {} of {} of the video {}: {}. The file is damaged; repair it by re-encoding: "
                    "ffmpeg -i IN -c:v libx264 "
                    "-crf 17 OUT.mp4",
                    wanted, index.size(), path.string(), reason));
  }

  /// Feeds the decoder one packet, or the end of the stream.
  void feed() {
    if (!packets.read(*packet)) {
      draining = true;
      avcodec_send_packet(decoder.get(), nullptr);
      return;
    }
    // An error in a packet that no wanted frame depends on is harmless; for the others the frame is found missing
    // below.
    avcodec_send_packet(decoder.get(), packet.get());
  }

  /// Next picture in presentation order with its frame number; false at the end of the stream.
  bool next_picture(std::int64_t& frame) {
    for (;;) {
      const int code = avcodec_receive_frame(decoder.get(), picture.get());
      if (code == AVERROR_EOF || (code < 0 && draining)) return false;
      if (code < 0) {
        feed();
        continue;
      }
      frame = index.timestamps ? picture->pts : decoded;
      ++decoded;
      if (frame != AV_NOPTS_VALUE) return true;
    }
  }

  /// Decodes up to the wanted frame and leaves it in `picture`; otherwise returns what is wrong.
  std::string find_wanted() {
    for (std::int64_t number = 0; next_picture(number);) {
      if (number < wanted) continue;  // before the range, or a leading picture of the GOP before
      if (number > wanted) return fmt::format("the decoder went on with frame {}", number);
      const bool damaged = (picture->flags & AV_FRAME_FLAG_CORRUPT) != 0 || picture->decode_error_flags != 0;
      return damaged ? "its data are corrupt" : "";
    }
    return "the stream ends before it";
  }
};

VideoReader::VideoReader(const std::filesystem::path& path, const VideoIndex& index, FrameRange range,
                         VideoReaderOptions options) {
  if (range.first < 0 || range.end > index.size() || range.first > range.end)
    throw data::ConfigError(fmt::format("cannot read frames {} to {} of the video {}: it has {} frames", range.first,
                                        range.end, path.string(), index.size()));
  if (range.first < range.end) impl_ = std::make_unique<Impl>(path, index, range, options);
}

VideoReader::~VideoReader() = default;

bool VideoReader::next(data::Image& frame) {
  if (!impl_ || impl_->wanted >= impl_->range.end) return false;
  Impl& impl = *impl_;
  std::string fault;
  do {
    fault = impl.find_wanted();
  } while (!fault.empty() && impl.start_earlier());
  if (!fault.empty()) impl.fail(fault);
  impl.converter.convert(*impl.picture, frame);
  if (frame.width_px != impl.index.width_px || frame.height_px != impl.index.height_px)
    impl.fail(fmt::format("its size changes to {} x {} px", frame.width_px, frame.height_px));
  ++impl.wanted;
  impl.attempts = 0;
  return true;
}

}  // namespace ringpose::analysis
