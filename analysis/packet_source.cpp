#include "analysis/packet_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "data/error.hpp"

namespace ringpose::analysis {
namespace {

std::int64_t time_of(const AVPacket& packet) {
  return packet.pts != AV_NOPTS_VALUE ? packet.pts : packet.dts;
}

}  // namespace

PacketSource::PacketSource(const std::filesystem::path& path, const VideoIndex& index)
    : path_(path), index_(index), file_(open_video(path, index.stream)), held_(libav::make_packet()) {
  std::int64_t packets = index.packets;
  for (const FrameEntry& frame : index.frames) packets = std::max(packets, frame.ordinal + 1);
  frame_of_ordinal_.assign(static_cast<std::size_t>(packets), -1);
  for (std::size_t i = 0; i < index.frames.size(); ++i)
    frame_of_ordinal_[static_cast<std::size_t>(index.frames[i].ordinal)] = static_cast<std::int64_t>(i);
}

std::int64_t PacketSource::frame_of_time(std::int64_t time) const {
  const auto place = std::lower_bound(index_.frames.begin(), index_.frames.end(), time,
                                      [](const FrameEntry& frame, std::int64_t t) { return frame.pts < t; });
  return place != index_.frames.end() && place->pts == time ? place - index_.frames.begin() : -1;
}

void PacketSource::rewind() {
  file_ = open_video(path_, index_.stream);
  next_ordinal_ = 0;
  holds_packet_ = false;
}

bool PacketSource::read_raw(AVPacket& packet) {
  for (;;) {
    av_packet_unref(&packet);
    if (av_read_frame(file_.input.get(), &packet) < 0) return false;
    if (packet.stream_index == file_.stream->index) return true;
  }
}

/// True when the next packet's ordinal is known and not behind the keyframe.
bool PacketSource::seek_to(const FrameEntry& key) {
  if (av_seek_frame(file_.input.get(), file_.stream->index, key.pts, AVSEEK_FLAG_BACKWARD) < 0) return false;
  if (!read_raw(*held_)) return false;
  const std::int64_t frame = time_of(*held_) == AV_NOPTS_VALUE ? -1 : frame_of_time(time_of(*held_));
  if (frame < 0) return false;  // hidden by an edit list, or a clock that jumps: read from the beginning instead
  next_ordinal_ = index_.frames[static_cast<std::size_t>(frame)].ordinal;
  holds_packet_ = true;
  return next_ordinal_ <= key.ordinal;
}

std::int64_t PacketSource::start_at(std::int64_t first) {
  rewind();
  if (!index_.timestamps) return 0;
  const auto begin = index_.frames.rend() - (first + 1);
  const auto key = std::find_if(begin, index_.frames.rend(), [](const FrameEntry& frame) { return frame.key; });
  if (key == index_.frames.rend() || key->ordinal == 0) return 0;
  if (!seek_to(*key)) rewind();
  while (next_ordinal_ < key->ordinal) {
    const bool there = std::exchange(holds_packet_, false) || read_raw(*held_);
    if (!there)
      throw data::FormatError(fmt::format("cannot read the video {}: it ends before frame {}", path_.string(), first));
    ++next_ordinal_;
  }
  return index_.frames.rend() - key - 1;
}

bool PacketSource::read(AVPacket& packet) {
  av_packet_unref(&packet);
  if (std::exchange(holds_packet_, false))
    av_packet_move_ref(&packet, held_.get());
  else if (!read_raw(packet))
    return false;
  if (!index_.timestamps) return true;  // frames are counted by the reader
  if (next_ordinal_ >= static_cast<std::int64_t>(frame_of_ordinal_.size()))
    throw data::FormatError(
        fmt::format("cannot read the video {}: it has more frames than when it was indexed", path_.string()));
  const std::int64_t frame = frame_of_ordinal_[static_cast<std::size_t>(next_ordinal_++)];
  packet.pts = frame >= 0 ? frame : AV_NOPTS_VALUE;
  packet.dts = AV_NOPTS_VALUE;
  return true;
}

}  // namespace ringpose::analysis
