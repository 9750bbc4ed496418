#include "analysis/prediction_merge.hpp"

#include <fmt/format.h>

#include "data/error.hpp"

namespace ringpose::analysis {

std::vector<float> merge_ranges(const std::vector<RangeValues>& parts, std::int64_t frames, std::size_t bodyparts) {
  std::vector<float> merged;
  std::int64_t next = 0;
  for (const RangeValues& part : parts) {
    const auto& [first, end] = part.range;
    const auto expected = static_cast<std::size_t>(end - first) * bodyparts * 3;
    if (first != next || end < first || part.values_FK3.size() != expected)
      throw data::FormatError(
          fmt::format("the ranks' predictions do not fit together: frames {} to {} with {} values came where "
                      "frame {} was expected",
                      first, end, part.values_FK3.size(), next));
    merged.insert(merged.end(), part.values_FK3.begin(), part.values_FK3.end());
    next = end;
  }
  if (next != frames)
    throw data::FormatError(fmt::format("the ranks' predictions end at frame {} of {}", next, frames));
  return merged;
}

}  // namespace ringpose::analysis
