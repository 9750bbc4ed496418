// DeepLabCut's names for a network and for the files it writes: pure.
// Source: DeepLabCut 3 pose_estimation_pytorch/apis/utils.py (get_scorer_name, get_scorer_uid),
// utils/make_labeled_video.py.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

#include "data/project_facts.hpp"

namespace ringpose::analysis {

/// "best-120" for the snapshot with the smallest test error, else the epoch: "90". `epoch`: finished epochs.
[[nodiscard]] std::string snapshot_uid(std::int64_t epoch, bool best);

/// For example DLC_Resnet50_openfieldOct30shuffle1_snapshot_best-120.
[[nodiscard]] std::string scorer_name(const std::string& net_type, const data::ProjectFacts& project,
                                      const std::string& snapshot_uid);

/// `<folder>/<video stem><scorer><ending>`; an empty folder means beside the video.
[[nodiscard]] std::filesystem::path output_path(const std::filesystem::path& video, const std::filesystem::path& folder,
                                                const std::string& scorer, const std::string& ending);

/// Ending of a labelled video: pcutoff 0.6 gives "_p60_labeled.mp4"; the percentage is cut, not rounded, as DeepLabCut
/// does.
[[nodiscard]] std::string labelled_ending(double pcutoff);

}  // namespace ringpose::analysis
