// Presentation order and constant frame rate, from packet timestamps: pure.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/video_index.hpp"

namespace ringpose::analysis {

/// One packet as the container delivers it; nullopt where the container has no timestamp.
struct PacketTimes {
  std::optional<std::int64_t> pts;
  std::optional<std::int64_t> dts;
  bool key = false;
  bool discard = false;  ///< hidden by an edit list: needed for decoding, never shown
};

/// How far timestamps are usable as frame identity.
enum class TimestampUse {
  presentation,  ///< every kept packet has a pts
  decoding,      ///< no pts, but the codec shows frames in decoding order and every packet has a dts
  none           ///< frames have to be counted by decoding
};

/// `reorders`: the codec may show frames in another order than they are stored (B-frames).
[[nodiscard]] TimestampUse timestamp_use(const std::vector<PacketTimes>& packets, bool reorders);

/// Kept packets sorted by timestamp. Precondition: use != none.
[[nodiscard]] std::vector<FrameEntry> presentation_order(const std::vector<PacketTimes>& packets, TimestampUse use);

/// The reason why `frames` cannot be treated as a constant-rate video, or nullopt. Two equal timestamps are refused; a
/// step may differ from the mean step by a quarter of it (camera jitter) or by 1.5 ticks (containers that round, such
/// as mkv's ms).
[[nodiscard]] std::optional<std::string> timing_fault(const std::vector<FrameEntry>& frames, double seconds_per_tick);

/// Frames per second: `declared` where it agrees with the timestamps within 0.1 %, else their mean rate.
[[nodiscard]] double frame_rate_of(const std::vector<FrameEntry>& frames, double seconds_per_tick, double declared);

}  // namespace ringpose::analysis
