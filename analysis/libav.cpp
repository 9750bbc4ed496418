#include "analysis/libav.hpp"

#include <array>
#include <new>

namespace ringpose::analysis::libav {

std::string error_text(int code) {
  std::array<char, AV_ERROR_MAX_STRING_SIZE> text{};
  return av_strerror(code, text.data(), text.size()) == 0 ? std::string(text.data()) : "error " + std::to_string(code);
}

Frame make_frame() {
  Frame frame(av_frame_alloc());
  if (!frame) throw std::bad_alloc();
  return frame;
}

Packet make_packet() {
  Packet packet(av_packet_alloc());
  if (!packet) throw std::bad_alloc();
  return packet;
}

void silence_log() {
  av_log_set_level(AV_LOG_QUIET);
}

}  // namespace ringpose::analysis::libav
