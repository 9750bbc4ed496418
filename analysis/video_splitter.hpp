// Frame ranges per rank: pure.
#pragma once
#include <cstdint>

namespace ringpose::analysis {

/// Frames [first, end).
struct FrameRange {
  std::int64_t first = 0;
  std::int64_t end = 0;
  bool operator==(const FrameRange&) const = default;
};

/// Contiguous share of `rank`; boundaries are multiples of `batch` (the last end is `frames`), so network shapes do not
/// depend on world_size.
[[nodiscard]] FrameRange frame_range(std::int64_t frames, std::int64_t batch, int rank, int world_size);

}  // namespace ringpose::analysis
