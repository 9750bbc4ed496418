// Writes labels as DeepLabCut keeps them: CollectedData_<scorer>.csv and .h5 in one folder of labeled-data.
#pragma once
#include <filesystem>

#include "data/label_table.hpp"

namespace ringpose::data {

/// Writes `folder`/CollectedData_<scorer>.csv and .h5, replacing older ones; each file is complete or not there. The
/// CSV has DeepLabCut's three header lines and three index columns, numbers in the shortest form that reads back to the
/// same double, missing labels as empty cells. The HDF5 is pandas' "fixed" layout, key `df_with_missing`, which pandas
/// and DeepLabCut open. Rows are written in the table's order (DeepLabCut sorts them by folder and image name: pass
/// them sorted). Needs at least one row and one bodypart. Throws ConfigError (empty or ragged table, names with commas,
/// quotes or line breaks) or IoError. Calls HDF5: one thread at a time.
void write_collected_data(const std::filesystem::path& folder, const LabelTable& table);

}  // namespace ringpose::data
