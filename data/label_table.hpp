// Hand-made labels of one video folder, or of a whole project: DeepLabCut's CollectedData_<scorer> table.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "data/sample.hpp"

namespace ringpose::data {

/// One labelled frame. Its image is labeled-data/<folder>/<image_name> of the project.
struct LabelRow {
  std::string folder;               ///< for example m4s1 (the video's name without extension)
  std::string image_name;           ///< for example img0000.png
  std::vector<Keypoint> keypoints;  ///< K positions in the order of LabelTable::bodyparts; NaN: not labelled
  std::string source;               ///< file and line it was read from, for messages; empty: not from a file
};

/// Labels of one scorer; every row has bodyparts.size() keypoints.
struct LabelTable {
  std::string scorer;
  std::vector<std::string> bodyparts;
  std::vector<LabelRow> rows;
};

/// Reads a CollectedData CSV file of a single-animal project. Both index forms are accepted: one column with the path
/// (`labeled-data/m4s1/img0000.png`, slashes or backslashes), or the three columns `labeled-data,m4s1,img0000.png`.
/// Rows stay in file order. Throws IoError (unreadable) or ProjectError (multi-animal table, malformed header or
/// number, row given twice, one coordinate missing); messages name the file and line.
[[nodiscard]] LabelTable read_label_table(const std::filesystem::path& csv_file);

/// Throws ProjectError naming both places when an image has two rows.
void check_unique_rows(const LabelTable& table);

/// Columns reordered to `bodyparts`. Throws ProjectError naming `file` when the table has another set of bodyparts.
[[nodiscard]] LabelTable reorder_bodyparts(LabelTable table, const std::vector<std::string>& bodyparts,
                                           const std::filesystem::path& file);

}  // namespace ringpose::data
