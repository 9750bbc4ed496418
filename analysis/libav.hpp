// Owning handles and error texts for FFmpeg's C API. Internal to analysis.
#pragma once
extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/display.h>
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>
}

#include <memory>
#include <string>

namespace ringpose::analysis::libav {

struct CloseInput {
  void operator()(AVFormatContext* context) const { avformat_close_input(&context); }
};
struct FreeCodec {
  void operator()(AVCodecContext* context) const { avcodec_free_context(&context); }
};
struct FreeFrame {
  void operator()(AVFrame* frame) const { av_frame_free(&frame); }
};
struct FreePacket {
  void operator()(AVPacket* packet) const { av_packet_free(&packet); }
};
struct FreeScaler {
  void operator()(SwsContext* context) const { sws_freeContext(context); }
};
using Input = std::unique_ptr<AVFormatContext, CloseInput>;
using Codec = std::unique_ptr<AVCodecContext, FreeCodec>;
using Frame = std::unique_ptr<AVFrame, FreeFrame>;
using Packet = std::unique_ptr<AVPacket, FreePacket>;
using Scaler = std::unique_ptr<SwsContext, FreeScaler>;

/// FFmpeg's text for an error code.
[[nodiscard]] std::string error_text(int code);
/// New empty handles; throw std::bad_alloc.
[[nodiscard]] Frame make_frame();
[[nodiscard]] Packet make_packet();
/// Bytes from one row to the next so that swscale's vector code, which reads and writes whole vectors past a row's end,
/// stays in it, in the last row too.
[[nodiscard]] constexpr std::size_t padded_row_bytes(std::size_t row_bytes) {
  constexpr std::size_t kRoom = 256, kAlignment = 64;
  return (row_bytes + kRoom + kAlignment - 1) / kAlignment * kAlignment;
}
/// FFmpeg prints to stderr by default; libraries here do not. Safe to call often.
void silence_log();

}  // namespace ringpose::analysis::libav
