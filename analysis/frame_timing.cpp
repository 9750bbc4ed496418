#include "analysis/frame_timing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ringpose::analysis {
namespace {

constexpr double kJitterShare = 0.25;
constexpr double kRoundingTicks = 1.5;
constexpr double kDeclaredRateTolerance = 1e-3;

double mean_step_ticks(const std::vector<FrameEntry>& frames) {
  return static_cast<double>(frames.back().pts - frames.front().pts) / static_cast<double>(frames.size() - 1);
}

}  // namespace

TimestampUse timestamp_use(const std::vector<PacketTimes>& packets, bool reorders) {
  const auto kept = [](const PacketTimes& packet) { return !packet.discard; };
  const auto lacks_pts = [&](const PacketTimes& packet) { return kept(packet) && !packet.pts; };
  const auto lacks_dts = [&](const PacketTimes& packet) { return kept(packet) && !packet.dts; };
  if (std::none_of(packets.begin(), packets.end(), lacks_pts)) return TimestampUse::presentation;
  if (!reorders && std::none_of(packets.begin(), packets.end(), lacks_dts)) return TimestampUse::decoding;
  return TimestampUse::none;
}

std::vector<FrameEntry> presentation_order(const std::vector<PacketTimes>& packets, TimestampUse use) {
  std::vector<FrameEntry> frames;
  frames.reserve(packets.size());
  for (std::size_t i = 0; i < packets.size(); ++i) {
    const PacketTimes& packet = packets[i];
    if (packet.discard) continue;
    const std::int64_t time = use == TimestampUse::presentation ? packet.pts.value() : packet.dts.value();
    frames.push_back({time, static_cast<std::int64_t>(i), packet.key});
  }
  std::stable_sort(frames.begin(), frames.end(),
                   [](const FrameEntry& a, const FrameEntry& b) { return a.pts < b.pts; });
  return frames;
}

std::optional<std::string> timing_fault(const std::vector<FrameEntry>& frames, double seconds_per_tick) {
  if (frames.size() < 2) return std::nullopt;
  const double step = mean_step_ticks(frames);
  const double allowed = std::max(kRoundingTicks, kJitterShare * step);
  for (std::size_t i = 1; i < frames.size(); ++i) {
    const std::int64_t ticks = frames[i].pts - frames[i - 1].pts;
    if (ticks == 0)
      return fmt::format("frames {} and {} have the same timestamp ({:.4f} s)", i - 1, i,
                         static_cast<double>(frames[i].pts) * seconds_per_tick);
    if (std::abs(static_cast<double>(ticks) - step) > allowed)
      return fmt::format("the frame rate varies: frame {} comes {:.2f} ms after frame {}, the mean step is {:.2f} ms",
                         i, 1e3 * static_cast<double>(ticks) * seconds_per_tick, i - 1, 1e3 * step * seconds_per_tick);
  }
  return std::nullopt;
}

double frame_rate_of(const std::vector<FrameEntry>& frames, double seconds_per_tick, double declared) {
  if (frames.size() < 2) return declared;
  const double measured = 1 / (mean_step_ticks(frames) * seconds_per_tick);
  return std::abs(declared - measured) <= kDeclaredRateTolerance * measured ? declared : measured;
}

}  // namespace ringpose::analysis
