#include "data/collected_data_writer.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>

#include "data/atomic_file.hpp"
#include "data/error.hpp"
#include "data/hdf5_file.hpp"

namespace ringpose::data {
namespace {

namespace fs = std::filesystem;

constexpr char kImagesFolder[] = "labeled-data";

void check_name(const std::string& name, const char* kind) {
  if (name.empty() || name.find_first_of(",\"\r\n") != std::string::npos)
    throw ConfigError(std::string("cannot write the labels: ") + kind + " '" + name +
                      "' is empty or has a comma, quote or line break.");
}

void check_table(const LabelTable& table) {
  if (table.rows.empty() || table.bodyparts.empty())
    throw ConfigError("cannot write the labels of " + table.scorer + ": the table has no row or no bodypart.");
  check_name(table.scorer, "scorer");
  for (const std::string& bodypart : table.bodyparts) check_name(bodypart, "bodypart");
  for (const LabelRow& row : table.rows) {
    check_name(row.folder, "folder");
    check_name(row.image_name, "image");
    if (row.keypoints.size() != table.bodyparts.size())
      throw ConfigError("cannot write the labels of " + row.image_name + ": it has " +
                        std::to_string(row.keypoints.size()) + " positions for " +
                        std::to_string(table.bodyparts.size()) + " bodyparts.");
  }
}

void add_number(std::string& text, double value) {
  text += ',';
  if (std::isnan(value)) return;
  char digits[32];
  const auto result = std::to_chars(digits, digits + sizeof digits, value);
  const std::string_view number(digits, static_cast<std::size_t>(result.ptr - digits));
  text += number;
  // Without a point, pandas would read a column of whole numbers as integers.
  if (number.find_first_not_of("-0123456789") == std::string_view::npos) text += ".0";
}

std::string csv_text(const LabelTable& table) {
  std::string scorers = "scorer,,";
  std::string bodyparts = "bodyparts,,";
  std::string coords = "coords,,";
  for (const std::string& bodypart : table.bodyparts) {
    scorers += "," + table.scorer + "," + table.scorer;
    bodyparts += "," + bodypart + "," + bodypart;
    coords += ",x,y";
  }
  std::string text = scorers + "\n" + bodyparts + "\n" + coords + "\n";
  for (const LabelRow& row : table.rows) {
    text += std::string(kImagesFolder) + "," + row.folder + "," + row.image_name;
    for (const Keypoint& keypoint : row.keypoints) {
      add_number(text, keypoint.x_px);
      add_number(text, keypoint.y_px);
    }
    text += '\n';
  }
  return text;
}

/// One level of a pandas MultiIndex: distinct values and, for each row or column, the number of its value.
struct IndexLevel {
  std::vector<std::string> values;
  std::vector<std::int64_t> codes;
  std::string name;  ///< empty: unnamed
};

IndexLevel make_level(std::vector<std::string> entries, std::string name) {
  IndexLevel level{entries, {}, std::move(name)};
  std::sort(level.values.begin(), level.values.end());
  level.values.erase(std::unique(level.values.begin(), level.values.end()), level.values.end());
  for (const std::string& entry : entries)
    level.codes.push_back(std::lower_bound(level.values.begin(), level.values.end(), entry) - level.values.begin());
  return level;
}

std::vector<IndexLevel> column_levels(const LabelTable& table) {
  std::vector<std::string> scorers, bodyparts, coords;
  for (const std::string& bodypart : table.bodyparts)
    for (const char* coord : {"x", "y"}) {
      scorers.push_back(table.scorer);
      bodyparts.push_back(bodypart);
      coords.emplace_back(coord);
    }
  return {make_level(scorers, "scorer"), make_level(bodyparts, "bodyparts"), make_level(coords, "coords")};
}

std::vector<IndexLevel> row_levels(const LabelTable& table) {
  std::vector<std::string> roots, folders, images;
  for (const LabelRow& row : table.rows) {
    roots.emplace_back(kImagesFolder);
    folders.push_back(row.folder);
    images.push_back(row.image_name);
  }
  return {make_level(roots, ""), make_level(folders, ""), make_level(images, "")};
}

/// The attributes by which PyTables recognises its arrays.
void mark_array(H5::DataSet& dataset) {
  write_attribute(dataset, "CLASS", std::string("ARRAY"));
  write_attribute(dataset, "VERSION", std::string("2.4"));
  write_attribute(dataset, "FLAVOR", std::string("numpy"));
  write_attribute(dataset, "transposed", std::int64_t{1});
}

void write_index(H5::Group& frame, const std::string& axis, const std::vector<IndexLevel>& levels) {
  write_attribute(frame, axis + "_variety", std::string("multi"));
  write_attribute(frame, axis + "_nlevels", static_cast<std::int64_t>(levels.size()));
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const std::string number = std::to_string(i);
    H5::DataSet values = write_texts(frame, axis + "_level" + number, levels[i].values);
    mark_array(values);
    write_attribute(values, "kind", std::string("string"));
    if (!levels[i].name.empty()) write_attribute(values, "name", levels[i].name);
    H5::DataSet codes =
        write_array<std::int64_t>(frame, axis + "_label" + number, levels[i].codes, {levels[i].codes.size()});
    mark_array(codes);
  }
}

void write_group_attributes(H5::Group& group) {
  write_attribute(group, "CLASS", std::string("GROUP"));
  write_attribute(group, "VERSION", std::string("1.0"));
}

/// pandas' "fixed" layout of a DataFrame (pandas/io/pytables.py, BlockManagerFixed), one block of numbers.
void write_frame(H5::H5File& file, const LabelTable& table) {
  H5::Group root = file.openGroup("/");
  write_group_attributes(root);
  write_attribute(root, "PYTABLES_FORMAT_VERSION", std::string("2.1"));
  H5::Group frame = file.createGroup("df_with_missing");
  write_group_attributes(frame);
  for (const auto& [name, value] :
       {std::pair{"pandas_type", "frame"}, {"pandas_version", "0.15.2"}, {"encoding", "UTF-8"}, {"errors", "strict"}})
    write_attribute(frame, name, std::string(value));
  write_attribute(frame, "ndim", std::int64_t{2});
  write_attribute(frame, "nblocks", std::int64_t{1});
  write_index(frame, "axis0", column_levels(table));
  write_index(frame, "axis1", row_levels(table));
  write_index(frame, "block0_items", column_levels(table));
  std::vector<double> values;
  for (const LabelRow& row : table.rows)
    for (const Keypoint& keypoint : row.keypoints) values.insert(values.end(), {keypoint.x_px, keypoint.y_px});
  H5::DataSet block =
      write_array<double>(frame, "block0_values", values, {table.rows.size(), 2 * table.bodyparts.size()});
  mark_array(block);
}

std::string hdf5_image(const LabelTable& table, const fs::path& path) {
  const Hdf5Silence silence;
  try {
    H5::H5File file = create_hdf5_in_memory();
    write_frame(file, table);
    return file_image(file);
  } catch (const H5::Exception& error) {
    throw IoError("cannot make " + path.string() +
                  ": HDF5 reports: " + (silence.message().empty() ? error.getDetailMsg() : silence.message()));
  }
}

}  // namespace

void write_collected_data(const fs::path& folder, const LabelTable& table) {
  check_table(table);
  const std::string stem = "CollectedData_" + table.scorer;
  write_file_atomically(folder / (stem + ".csv"), csv_text(table));
  // Made in memory: a full disk is then met by our own writing, which can clean up, and not by HDF5's closing.
  write_file_atomically(folder / (stem + ".h5"), hdf5_image(table, folder / (stem + ".h5")));
}

}  // namespace ringpose::data
