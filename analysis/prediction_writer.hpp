// DeepLabCut's prediction files: CSV, and HDF5 in the layout of pandas' to_hdf(key="df_with_missing", format="table").
#pragma once
#include <filesystem>

#include "analysis/prediction_table.hpp"

namespace ringpose::analysis {

/// Both write under a temporary name, then rename. Throw data::IoError, nothing is left behind then.
void write_prediction_csv(const std::filesystem::path& path, const PredictionTable& table);
void write_prediction_h5(const std::filesystem::path& path, const PredictionTable& table);
/// Reads files written by write_prediction_h5 or by DeepLabCut 3 (single animal). Throws data::FormatError or
/// data::IoError.
[[nodiscard]] PredictionTable read_prediction_h5(const std::filesystem::path& path);
[[nodiscard]] PredictionTable read_prediction_csv(const std::filesystem::path& path);

}  // namespace ringpose::analysis
