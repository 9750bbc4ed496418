#include "analysis/video_splitter.hpp"

#include <algorithm>

namespace ringpose::analysis {

FrameRange frame_range(std::int64_t frames, std::int64_t batch, int rank, int world_size) {
  const std::int64_t batches = (frames + batch - 1) / batch;
  const auto boundary = [&](std::int64_t r) { return std::min(frames, batches * r / world_size * batch); };
  return {boundary(rank), boundary(rank + 1)};
}

}  // namespace ringpose::analysis
