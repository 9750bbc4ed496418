// One video from file to prediction files, on all ranks together.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "analysis/predictor.hpp"
#include "mpi/communicator.hpp"
#include "trainer/checkpoint.hpp"

namespace ringpose::launch {

struct AnalysisRunOptions {
  std::filesystem::path destination;  ///< empty: beside each video
  int batch = 8;
  int decoder_threads = 1;
  bool csv = true;
  bool overwrite = false;
  std::string checkpoint;         ///< file name, for the sidecar
  std::string checkpoint_sha256;  ///< of the file; needed on rank 0 only
  std::string scorer;
  std::string device;     ///< in words, for the sidecar
  std::string precision;  ///< in words, for the sidecar
};

/// Complete on rank 0 only.
struct VideoResult {
  std::filesystem::path video, h5_file, csv_file, sidecar_file;
  bool skipped = false;  ///< the files were there already
  std::int64_t frames = 0;
  double seconds = 0;
};

/// Called on rank 0 with the frames all ranks together have done, about, and the total.
using RunProgress = std::function<void(std::int64_t, std::int64_t)>;

/// Collective. Rank 0 indexes the video and broadcasts the index; each rank predicts its range; rank 0 writes all
/// files, or none. Files of an earlier analysis are kept when they are of the same video and checkpoint, and refused
/// with data::ConfigError when not, unless to be overwritten. Throws what the reader, the predictor and the writers
/// throw, on the rank where it happens.
[[nodiscard]] VideoResult analyze_video(const std::filesystem::path& video, const trainer::Checkpoint& checkpoint,
                                        analysis::Predictor& predictor, const AnalysisRunOptions& options,
                                        const mpi::Communicator& world, const RunProgress& progress);

/// Files a video's predictions go to. Pure.
[[nodiscard]] VideoResult planned_files(const std::filesystem::path& video, const AnalysisRunOptions& options);

}  // namespace ringpose::launch
