// Predictions of one video: frames x bodyparts x (x, y, likelihood).
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ringpose::analysis {

struct PredictionTable {
  std::string scorer;  ///< DLC_<Net>_<Task><date>shuffle<n>_snapshot_<uid>
  std::vector<std::string> bodyparts;
  std::int64_t frames = 0;
  std::vector<float> values_FK3;  ///< frames*K*3: x_px, y_px, likelihood

  /// The three values of a bodypart in a frame.
  [[nodiscard]] const float* at(std::int64_t frame, std::size_t bodypart) const {
    return &values_FK3[(static_cast<std::size_t>(frame) * bodyparts.size() + bodypart) * 3];
  }
};

}  // namespace ringpose::analysis
