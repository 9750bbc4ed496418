// Writes a complete DeepLabCut project with a synthetic video and its exact ground truth.
#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "data/synthetic_motion.hpp"

namespace ringpose::launch {

struct SyntheticProjectOptions {
  std::filesystem::path parent;  ///< the project folder <task>-<scorer>-<date> is made in here; created when missing
  std::string task = "face";     ///< letters, digits and underscores
  std::string scorer = "ringpose";
  std::string date;             ///< YYYY-MM-DD
  int labelled = 200;           ///< frames to label
  std::string codec = "mpeg4";  ///< mpeg4 or libx264
  data::SyntheticVideoOptions video;
};

struct SyntheticProject {
  std::filesystem::path folder;        ///< absolute
  std::filesystem::path video;         ///< videos/<task>.mp4
  std::filesystem::path ground_truth;  ///< ground-truth.csv
  std::vector<data::FaceTruth> truth;  ///< every frame
  std::vector<int> labelled_frames;    ///< ascending
  std::vector<int> missing_labels;     ///< per bodypart, among the labelled frames
};

/// Writes config.yaml, videos/<task>.mp4, labeled-data/<task>/{img<N>.png, CollectedData_<scorer>.{csv,h5}}, the
/// folders training-datasets and dlc-models as DeepLabCut makes them, and ground-truth.csv. The labelled images are the
/// frames before video compression. All of it is made in a hidden folder beside the project and renamed at the end, so
/// a project is complete or not there. `progress` is called with the number of frames drawn. Throws ConfigError (bad
/// option, project exists) or IoError.
[[nodiscard]] SyntheticProject write_synthetic_project(const SyntheticProjectOptions& options,
                                                       const std::function<void(int)>& progress);

/// config.yaml of a single-animal project, with the keys and the order of DeepLabCut's template.
[[nodiscard]] std::string synthetic_config_yaml(const SyntheticProjectOptions& options,
                                                const std::filesystem::path& folder,
                                                const std::filesystem::path& video);

/// DeepLabCut's `date` of a YYYY-MM-DD date: month and day, like Nov30 or Jul1. Throws ConfigError.
[[nodiscard]] std::string dlc_date(const std::string& iso_date);

/// Today in local time, YYYY-MM-DD.
[[nodiscard]] std::string today();

/// ground-truth.csv: columns frame (from 0), phase (still, running, blink), then for each bodypart <part>_x and
/// <part>_y (px at mid exposure, origin top left, known also behind a closed lid) and <part>_visible (1 or 0).
[[nodiscard]] std::string ground_truth_csv(const std::vector<data::FaceTruth>& truth);

}  // namespace ringpose::launch
