#include "analysis/frame_timing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace ringpose::analysis {
namespace {

std::vector<FrameEntry> at_times(const std::vector<std::int64_t>& times) {
  std::vector<FrameEntry> frames;
  for (std::size_t i = 0; i < times.size(); ++i) frames.push_back({times[i], static_cast<std::int64_t>(i), i == 0});
  return frames;
}

TEST(FrameTiming, OrdersByPresentationAndDropsHiddenPackets) {
  const std::vector<PacketTimes> packets = {
      {-1, -3, true, true}, {0, -2, true, false}, {2, -1, false, false}, {1, 0, false, false}};
  const auto frames = presentation_order(packets, TimestampUse::presentation);
  EXPECT_EQ(frames, (std::vector<FrameEntry>{{0, 1, true}, {1, 3, false}, {2, 2, false}}));
}

TEST(FrameTiming, MissingTimesDecideTheirUse) {
  const PacketTimes both{1, 1, true, false}, only_dts{std::nullopt, 1, true, false},
      none{std::nullopt, std::nullopt, true, false};
  EXPECT_EQ(timestamp_use({both, both}, true), TimestampUse::presentation);
  EXPECT_EQ(timestamp_use({both, only_dts}, false), TimestampUse::decoding);
  EXPECT_EQ(timestamp_use({both, only_dts}, true), TimestampUse::none);
  EXPECT_EQ(timestamp_use({both, none}, false), TimestampUse::none);
}

TEST(FrameTiming, AcceptsRoundedMillisecondsAndJitter) {
  std::vector<std::int64_t> rounded, jittering;
  for (int i = 0; i < 100; ++i) {
    rounded.push_back(std::lround(i * 1000 / 29.97));
    jittering.push_back(i * 3000 + (i % 3 - 1) * 300);
  }
  EXPECT_EQ(timing_fault(at_times(rounded), 1e-3), std::nullopt);
  EXPECT_EQ(timing_fault(at_times(jittering), 1 / 90000.0), std::nullopt);
}

TEST(FrameTiming, RefusesGapsRateChangesAndEqualTimes) {
  std::vector<std::int64_t> gap, change, equal;
  for (int i = 0; i < 60; ++i) {
    gap.push_back(i * 40 + (i >= 30 ? 40 : 0));
    change.push_back(i < 30 ? i * 40 : 1200 + (i - 30) * 80);
    equal.push_back(i == 31 ? 30 * 40 : i * 40);
  }
  EXPECT_THAT(timing_fault(at_times(gap), 1e-3).value_or(""),
              testing::HasSubstr("frame 30 comes 80.00 ms after frame 29"));
  EXPECT_THAT(timing_fault(at_times(change), 1e-3).value_or(""), testing::HasSubstr("the frame rate varies"));
  EXPECT_THAT(timing_fault(at_times(equal), 1e-3).value_or(""),
              testing::HasSubstr("frames 30 and 31 have the same timestamp"));
}

TEST(FrameTiming, RateIsTheDeclaredOneWhereItAgrees) {
  const auto frames = at_times({0, 33, 67, 100});
  EXPECT_EQ(frame_rate_of(frames, 1e-3, 30), 30);
  EXPECT_DOUBLE_EQ(frame_rate_of(frames, 1e-3, 15), 30);
}

}  // namespace
}  // namespace ringpose::analysis
