// The ranks' shares of a video joined in frame order: pure.
#pragma once
#include <vector>

#include "analysis/video_splitter.hpp"

namespace ringpose::analysis {

/// One rank's predictions.
struct RangeValues {
  FrameRange range;
  std::vector<float> values_FK3;  ///< (end-first)*K*3
};

/// Values of all frames. Throws data::FormatError on gaps, overlaps, wrong lengths.
[[nodiscard]] std::vector<float> merge_ranges(const std::vector<RangeValues>& parts, std::int64_t frames,
                                              std::size_t bodyparts);

}  // namespace ringpose::analysis
