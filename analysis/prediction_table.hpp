// Predictions of one video: frames x bodyparts x (x, y, likelihood).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace ringpose::analysis {

struct PredictionTable {
  std::string scorer;  ///< DLC_<Net>_<Task><date>shuffle<n>_snapshot_<uid>
  std::vector<std::string> bodyparts;
  std::int64_t frames = 0;
  std::vector<float> values_FK3;  ///< frames*K*3: x_px, y_px, likelihood
};

}  // namespace ringpose::analysis
