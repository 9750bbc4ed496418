// DeepLabCut's prediction files: CSV, and HDF5 in the layout of pandas' to_hdf(key="df_with_missing", format="table").
// Source: DeepLabCut 3.0.2 pose_estimation_pytorch/apis/videos.py (create_df_from_prediction): float32, columns
// (scorer, bodyparts, coords x|y|likelihood), rows 0..frames-1.
#pragma once
#include <filesystem>

#include "analysis/prediction_table.hpp"

namespace ringpose::analysis {

/// Both write under a temporary name, then rename. Equal tables give equal bytes. Throw data::IoError, or
/// data::ConfigError when values and names do not fit each other or are too many for the file; nothing is left behind
/// then.
void write_prediction_csv(const std::filesystem::path& path, const PredictionTable& table);
void write_prediction_h5(const std::filesystem::path& path, const PredictionTable& table);

/// Read files written by the functions above or by DeepLabCut 3 (single animal). Throw data::FormatError or
/// data::IoError.
[[nodiscard]] PredictionTable read_prediction_h5(const std::filesystem::path& path);
[[nodiscard]] PredictionTable read_prediction_csv(const std::filesystem::path& path);
/// By the file's ending: .csv or .h5. Throws data::ConfigError on any other.
[[nodiscard]] PredictionTable read_predictions(const std::filesystem::path& path);

}  // namespace ringpose::analysis
