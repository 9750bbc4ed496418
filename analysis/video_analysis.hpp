// One rank's share of a video: decoded ahead in a thread, predicted in fixed batches.
#pragma once
#include <filesystem>
#include <functional>
#include <string>

#include "analysis/prediction_merge.hpp"
#include "analysis/predictor.hpp"
#include "analysis/video_index.hpp"

namespace ringpose::analysis {

struct AnalysisOptions {
  int batch = 8;  ///< as given to the Predictor
  int decoder_threads = 1;
  int batches_ahead = 3;  ///< decoded batches that wait for the network
};

/// Called in the caller's thread with the number of frames predicted so far.
using AnalysisProgress = std::function<void(std::int64_t)>;

/// Frames range.first..range.end-1 in order. range.first must be a multiple of the batch, so that batches hold the same
/// frames whatever the number of ranks. Throws what the reader and the predictor throw.
[[nodiscard]] RangeValues analyze_range(const std::filesystem::path& video, const VideoIndex& index, FrameRange range,
                                        Predictor& predictor, const AnalysisOptions& options,
                                        const AnalysisProgress& progress = {});

/// Bytes for a gather, and back. Throws data::FormatError on foreign bytes.
[[nodiscard]] std::string serialize_range(const RangeValues& part);
[[nodiscard]] RangeValues deserialize_range(const char* bytes, std::size_t size);

}  // namespace ringpose::analysis
