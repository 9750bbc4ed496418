// Checks and column names shared by the CSV and HDF5 prediction files: pure. Internal to analysis.
#pragma once
#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "analysis/prediction_table.hpp"

namespace ringpose::analysis {

/// DeepLabCut's columns of one bodypart, in order.
inline constexpr std::array<const char*, 3> kCoordinates = {"x", "y", "likelihood"};

/// One column: scorer, bodypart, coordinate.
using ColumnName = std::array<std::string, 3>;

/// Throws data::ConfigError unless values_FK3 has frames*K*3 values and K > 0.
void check_table(const PredictionTable& table);

/// Scorer and bodyparts from column names in file order. Throws data::FormatError naming `path` when the columns are
/// not triples x, y, likelihood of one bodypart after the other under one scorer.
void set_columns(PredictionTable& table, const std::vector<ColumnName>& columns, const std::filesystem::path& path);

}  // namespace ringpose::analysis
