#include "analysis/video_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "analysis/libav.hpp"
#include "data/atomic_file.hpp"
#include "data/error.hpp"

namespace ringpose::analysis {
namespace {

constexpr int kMpeg4Quantizer = 3;
constexpr const char* kX264Crf = "20";
constexpr int kMpeg4MaxTimeBase = 65535;  // MPEG-4 part 2 stores the time base in 16 bits

/// Exact for integers and for NTSC rates (n*1000/1001); otherwise the nearest fraction that MPEG-4 can store.
AVRational frame_rate(double fps) {
  if (std::abs(fps - std::round(fps)) < 1e-6) return {static_cast<int>(std::round(fps)), 1};
  const double ntsc = fps * 1.001;
  const int rounded = static_cast<int>(std::round(ntsc));
  if (rounded <= 60 && std::abs(ntsc - rounded) < 2e-3 * rounded / 30) return {rounded * 1000, 1001};
  return av_d2q(fps, kMpeg4MaxTimeBase);
}

/// The temporary name hides the extension, so the container is named outright.
const char* container_of(const std::filesystem::path& path) {
  const std::string extension = path.extension().string();
  if (extension == ".mp4") return "mp4";
  if (extension == ".mov") return "mov";
  if (extension == ".avi") return "avi";
  if (extension == ".mkv") return "matroska";
  throw data::ConfigError(fmt::format("Cannot write {}: unknown video container '{}'. Use .mp4, .mov, .avi or .mkv.",
                                      path.string(), extension));
}

struct CloseOutput {
  void operator()(AVFormatContext* context) const {
    avio_closep(&context->pb);
    avformat_free_context(context);
  }
};

}  // namespace

void VideoWriterOptions::validate() const {
  if (width_px < 2 || height_px < 2)
    throw data::ConfigError(
        fmt::format("A video of {} x {} px cannot be written: both sides must be 2 px or more.", width_px, height_px));
  if (!(fps > 0) || fps > 10000)
    throw data::ConfigError(
        fmt::format("A video of {} frames per second cannot be written: expected 0 < fps <= 10000.", fps));
  if (codec != "mpeg4" && codec != "libx264")
    throw data::ConfigError(fmt::format("Unknown video codec '{}': use mpeg4 or libx264.", codec));
  if (bitrate_kbps < 0 || gop_frames < 0 || b_frames < -1 || threads < 1)
    throw data::ConfigError(
        "Video options out of range: bitrate and GOP must be 0 or more, b_frames -1 or more, threads 1 or more.");
}

struct VideoWriter::Impl {
  VideoWriterOptions options;
  data::AtomicFile file;
  std::unique_ptr<AVFormatContext, CloseOutput> muxer;
  libav::Codec encoder;
  libav::Scaler scaler;
  libav::Frame picture = libav::make_frame();
  libav::Packet packet = libav::make_packet();
  AVStream* stream = nullptr;
  std::vector<std::uint8_t> padded;
  std::int64_t frames = 0;

  Impl(const std::filesystem::path& path, const VideoWriterOptions& o) : options(o), file(path) {}

  void check(int code, const char* step) const {
    if (code >= 0) return;
    const std::string action = fmt::format("write the video (step: {})", step);
    const bool system_error = AVUNERROR(code) > 0 && AVUNERROR(code) < 4096;
    if (system_error) throw data::IoError(data::io_message(action, file.path(), AVUNERROR(code)));
    throw data::IoError(fmt::format("cannot {} {}: {}", action, file.path().string(), libav::error_text(code)));
  }

  void open_encoder() {
    const AVCodec* codec = avcodec_find_encoder_by_name(options.codec.c_str());
    if (codec == nullptr)
      throw data::IoError(
          fmt::format("Cannot write {}: this FFmpeg has no encoder '{}'. Try the other codec (mpeg4 or libx264).",
                      file.path().string(), options.codec));
    encoder.reset(avcodec_alloc_context3(codec));
    if (!encoder) throw std::bad_alloc();
    encoder->width = options.width_px & ~1;  // 4:2:0 needs even sides
    encoder->height = options.height_px & ~1;
    encoder->pix_fmt = AV_PIX_FMT_YUV420P;
    encoder->framerate = frame_rate(options.fps);
    encoder->time_base = av_inv_q(encoder->framerate);
    encoder->colorspace = AVCOL_SPC_SMPTE170M;  // what swscale makes of RGB by default, so say it
    encoder->color_range = AVCOL_RANGE_MPEG;
    encoder->thread_count = options.threads;
    encoder->flags |= AV_CODEC_FLAG_BITEXACT;
    if (muxer->oformat->flags & AVFMT_GLOBALHEADER) encoder->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    set_quality();
    check(avcodec_open2(encoder.get(), codec, nullptr), "opening the encoder");
  }

  void set_quality() {
    const bool x264 = options.codec == "libx264";
    if (options.gop_frames > 0)
      encoder->gop_size = options.gop_frames;
    else if (!x264)
      encoder->gop_size = 12;
    if (options.b_frames >= 0) encoder->max_b_frames = options.b_frames;
    if (options.bitrate_kbps > 0) {
      encoder->bit_rate = std::int64_t{options.bitrate_kbps} * 1000;
    } else if (!x264) {
      encoder->flags |= AV_CODEC_FLAG_QSCALE;
      encoder->global_quality = FF_QP2LAMBDA * kMpeg4Quantizer;
    }
    if (!x264) return;
    av_opt_set(encoder->priv_data, "preset", "veryfast", 0);
    if (options.bitrate_kbps == 0) av_opt_set(encoder->priv_data, "crf", kX264Crf, 0);
    if (options.open_gop) av_opt_set(encoder->priv_data, "x264-params", "open-gop=1", 0);
  }

  void open() {
    const char* container = container_of(file.path());
    AVFormatContext* raw = nullptr;
    check(avformat_alloc_output_context2(&raw, nullptr, container, file.temporary_path().c_str()),
          "opening the container");
    muxer.reset(raw);
    muxer->flags |= AVFMT_FLAG_BITEXACT;
    open_encoder();
    stream = avformat_new_stream(muxer.get(), nullptr);
    if (stream == nullptr) throw std::bad_alloc();
    stream->time_base = encoder->time_base;
    stream->avg_frame_rate = stream->r_frame_rate = encoder->framerate;
    check(avcodec_parameters_from_context(stream->codecpar, encoder.get()), "describing the stream");
    check(avio_open(&muxer->pb, file.temporary_path().c_str(), AVIO_FLAG_WRITE), "opening the file");
    check(avformat_write_header(muxer.get(), nullptr), "writing the header");
    picture->format = encoder->pix_fmt;
    picture->width = encoder->width;
    picture->height = encoder->height;
    check(av_frame_get_buffer(picture.get(), 0), "allocating a frame");
    scaler.reset(sws_getContext(encoder->width, encoder->height, AV_PIX_FMT_RGB24, encoder->width, encoder->height,
                                encoder->pix_fmt, SWS_BICUBIC | SWS_ACCURATE_RND, nullptr, nullptr, nullptr));
    if (!scaler) throw std::bad_alloc();
  }

  void encode(const AVFrame* frame) {
    check(avcodec_send_frame(encoder.get(), frame), "encoding");
    for (;;) {
      const int code = avcodec_receive_packet(encoder.get(), packet.get());
      if (code == AVERROR(EAGAIN) || code == AVERROR_EOF) return;
      check(code, "encoding");
      packet->stream_index = stream->index;
      packet->duration = 1;
      av_packet_rescale_ts(packet.get(), encoder->time_base, stream->time_base);
      check(av_interleaved_write_frame(muxer.get(), packet.get()), "writing");
      check(muxer->pb->error, "writing");
    }
  }
};

VideoWriter::VideoWriter(const std::filesystem::path& path, const VideoWriterOptions& options) {
  options.validate();
  container_of(path);
  libav::silence_log();
  impl_ = std::make_unique<Impl>(path, options);
  impl_->open();
}

VideoWriter::~VideoWriter() = default;

void VideoWriter::write(const data::Image& frame) {
  Impl& impl = *impl_;
  if (frame.width_px != impl.options.width_px || frame.height_px != impl.options.height_px || frame.channels != 3)
    throw data::ConfigError(fmt::format(
        "Cannot write {}: frame {} has {} x {} px and {} channels, expected {} x {} and 3.", impl.file.path().string(),
        impl.frames, frame.width_px, frame.height_px, frame.channels, impl.options.width_px, impl.options.height_px));
  impl.check(av_frame_make_writable(impl.picture.get()), "allocating a frame");
  // swscale's vector code reads whole vectors, past the end of a row: rows with room behind them.
  const std::size_t row_bytes = std::size_t{3} * frame.width_px, stride_bytes = libav::padded_row_bytes(row_bytes);
  impl.padded.resize(stride_bytes * frame.height_px);
  for (int y = 0; y < frame.height_px; ++y)
    std::copy_n(frame.pixels_HWC.data() + y * row_bytes, row_bytes, impl.padded.data() + y * stride_bytes);
  const std::uint8_t* rows[] = {impl.padded.data()};
  const int stride[] = {static_cast<int>(stride_bytes)};
  sws_scale(impl.scaler.get(), rows, stride, 0, impl.encoder->height, impl.picture->data, impl.picture->linesize);
  impl.picture->pts = impl.frames++;
  if (impl.options.codec == "mpeg4") impl.picture->quality = impl.encoder->global_quality;
  impl.encode(impl.picture.get());
}

void VideoWriter::finish() {
  Impl& impl = *impl_;
  if (impl.frames == 0)
    throw data::IoError(fmt::format("Cannot write {}: no frame was given.", impl.file.path().string()));
  impl.encode(nullptr);
  impl.check(av_write_trailer(impl.muxer.get()), "writing the index");
  avio_flush(impl.muxer->pb);
  impl.check(impl.muxer->pb->error, "writing");
  impl.check(avio_closep(&impl.muxer->pb), "closing");
  impl.file.commit();
}

}  // namespace ringpose::analysis
