#include "data/label_table.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>

#include "data/atomic_file.hpp"
#include "data/error.hpp"

namespace ringpose::data {
namespace {

namespace fs = std::filesystem;

/// A line of the CSV file, cut into cells.
struct CsvLine {
  std::string source;  ///< file and line number, for messages
  std::vector<std::string> cells;
};

/// Columns of one bodypart.
struct PartColumns {
  std::optional<std::size_t> x;
  std::optional<std::size_t> y;
};

/// What the three header lines say.
struct Header {
  std::string scorer;
  std::size_t index_columns = 0;
  std::vector<std::string> bodyparts;
  std::map<std::string, PartColumns> columns;
};

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r");
  return first == std::string::npos ? std::string() : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// Cells of one line; a cell in double quotes may hold commas, and two quotes in it mean one.
std::vector<std::string> split_cells(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') {
      if (quoted && i + 1 < line.size() && line[i + 1] == '"')
        cells.back() += line[++i];
      else
        quoted = !quoted;
    } else if (line[i] == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += line[i];
    }
  }
  for (std::string& cell : cells) cell = trimmed(cell);
  return cells;
}

std::vector<CsvLine> read_lines(const fs::path& csv_file) {
  std::ifstream file(csv_file, std::ios::binary);
  if (!file) throw IoError(io_message("read the labels in", csv_file, errno));
  std::vector<CsvLine> lines;
  std::string text;
  for (int number = 1; std::getline(file, text); ++number) {
    if (number == 1 && text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);  // spreadsheets put a byte order mark there
    CsvLine line{csv_file.string() + ", line " + std::to_string(number), split_cells(text)};
    const bool blank =
        std::all_of(line.cells.begin(), line.cells.end(), [](const std::string& cell) { return cell.empty(); });
    if (!blank) lines.push_back(std::move(line));
  }
  if (file.bad()) throw IoError(io_message("read the labels in", csv_file, errno));
  return lines;
}

void check_header_line(const CsvLine& line, const std::string& expected) {
  if (line.cells.front() == "individuals")
    throw ProjectError(line.source +
                       ": the labels are those of a multi-animal project, which ringpose does not support yet.");
  if (line.cells.front() != expected)
    throw ProjectError(line.source + ": starts with '" + line.cells.front() + "', expected '" + expected +
                       "' (the header lines of a DeepLabCut label file are scorer, bodyparts, coords).");
}

void add_column(const CsvLine& bodyparts, const CsvLine& coords, std::size_t column, Header& header) {
  const std::string& part = bodyparts.cells[column];
  const std::string& coord = coords.cells[column];
  if (coord == "likelihood") return;  // left by old labelling tools; DeepLabCut drops it too
  if (part.empty() || (coord != "x" && coord != "y"))
    throw ProjectError(coords.source + ": column " + std::to_string(column + 1) + " is '" + coord + "' of bodypart '" +
                       part + "', expected x or y of a bodypart.");
  if (!header.columns.contains(part)) header.bodyparts.push_back(part);
  auto& target = coord == "x" ? header.columns[part].x : header.columns[part].y;
  if (target) throw ProjectError(bodyparts.source + ": bodypart '" + part + "' has two " + coord + " columns.");
  target = column;
}

Header read_header(const std::vector<CsvLine>& lines, const fs::path& csv_file) {
  if (lines.size() < 3)
    throw ProjectError(csv_file.string() + " has no label header: expected the lines scorer, bodyparts, coords.");
  check_header_line(lines[0], "scorer");
  check_header_line(lines[1], "bodyparts");
  check_header_line(lines[2], "coords");
  const auto& scorers = lines[0].cells;
  Header header;
  header.index_columns = scorers.size() > 2 && scorers[1].empty() && scorers[2].empty() ? 3 : 1;
  for (int i : {1, 2})
    if (lines[static_cast<std::size_t>(i)].cells.size() != scorers.size())
      throw ProjectError(lines[static_cast<std::size_t>(i)].source +
                         ": has another number of columns than the line before.");
  for (std::size_t column = header.index_columns; column < scorers.size(); ++column) {
    if (header.scorer.empty()) header.scorer = scorers[column];
    if (scorers[column] != header.scorer)
      throw ProjectError(lines[0].source + ": names two scorers, '" + header.scorer + "' and '" + scorers[column] +
                         "', expected one.");
    add_column(lines[1], lines[2], column, header);
  }
  for (const auto& [part, columns] : header.columns)
    if (!columns.x || !columns.y)
      throw ProjectError(lines[2].source + ": bodypart '" + part + "' lacks its x or y column.");
  if (header.bodyparts.empty()) throw ProjectError(lines[1].source + ": names no bodypart.");
  return header;
}

double parse_coordinate(const CsvLine& line, std::size_t column) {
  const std::string& cell = line.cells[column];
  if (cell.empty() || cell == "nan" || cell == "NaN") return std::nan("");
  double value = 0.0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc() || end != cell.data() + cell.size() || !std::isfinite(value))
    throw ProjectError(line.source + ": column " + std::to_string(column + 1) + " holds '" + cell +
                       "', expected a number or nothing.");
  return value;
}

/// Sets folder and image name from `labeled-data/<folder>/<image>`, in one cell or in three.
void parse_index(const CsvLine& line, std::size_t index_columns, LabelRow& row) {
  std::string path = line.cells[0];
  for (std::size_t column = 1; column < index_columns; ++column) path += "/" + line.cells[column];
  std::replace(path.begin(), path.end(), '\\', '/');
  std::vector<std::string> parts;
  std::istringstream stream(path);
  for (std::string part; std::getline(stream, part, '/');) parts.push_back(part);
  if (parts.size() != 3 || parts[0] != "labeled-data" || parts[1].empty() || parts[2].empty() || parts[1] == ".." ||
      parts[2] == "..")
    throw ProjectError(line.source + ": names the image '" + path + "', expected labeled-data/<video>/<image>.");
  row.folder = parts[1];
  row.image_name = parts[2];
}

LabelRow read_row(const CsvLine& line, const Header& header, std::size_t column_count) {
  if (line.cells.size() != column_count)
    throw ProjectError(line.source + ": has " + std::to_string(line.cells.size()) + " columns, expected " +
                       std::to_string(column_count) + " as in the header.");
  LabelRow row;
  row.source = line.source;
  parse_index(line, header.index_columns, row);
  for (const std::string& part : header.bodyparts) {
    const PartColumns& columns = header.columns.at(part);
    const Keypoint keypoint{parse_coordinate(line, *columns.x), parse_coordinate(line, *columns.y)};
    if (std::isnan(keypoint.x_px) != std::isnan(keypoint.y_px))
      throw ProjectError(line.source + ": bodypart '" + part +
                         "' has only one of x and y; label it fully or not at all.");
    row.keypoints.push_back(keypoint);
  }
  return row;
}

}  // namespace

LabelTable read_label_table(const fs::path& csv_file) {
  const auto lines = read_lines(csv_file);
  const Header header = read_header(lines, csv_file);
  LabelTable table{header.scorer, header.bodyparts, {}};
  for (std::size_t i = 3; i < lines.size(); ++i)
    table.rows.push_back(read_row(lines[i], header, lines[0].cells.size()));
  check_unique_rows(table);
  return table;
}

void check_unique_rows(const LabelTable& table) {
  std::map<std::pair<std::string, std::string>, const LabelRow*> seen;
  for (const LabelRow& row : table.rows) {
    const auto [earlier, inserted] = seen.try_emplace({row.folder, row.image_name}, &row);
    if (!inserted)
      throw ProjectError("labeled-data/" + row.folder + "/" + row.image_name + " is labelled twice: in " +
                         earlier->second->source + " and in " + row.source + ". Remove one of the two rows.");
  }
}

LabelTable reorder_bodyparts(LabelTable table, const std::vector<std::string>& bodyparts, const fs::path& file) {
  std::vector<std::size_t> source(bodyparts.size());
  for (std::size_t i = 0; i < bodyparts.size(); ++i) {
    const auto found = std::find(table.bodyparts.begin(), table.bodyparts.end(), bodyparts[i]);
    if (found == table.bodyparts.end())
      throw ProjectError(file.string() + " has no column for bodypart '" + bodyparts[i] + "' of config.yaml.");
    source[i] = static_cast<std::size_t>(found - table.bodyparts.begin());
  }
  for (const std::string& part : table.bodyparts)
    if (std::find(bodyparts.begin(), bodyparts.end(), part) == bodyparts.end())
      throw ProjectError(file.string() + " labels bodypart '" + part +
                         "', which config.yaml does not list. Add it there, or remove its columns.");
  for (LabelRow& row : table.rows) {
    std::vector<Keypoint> ordered;
    for (const std::size_t i : source) ordered.push_back(row.keypoints[i]);
    row.keypoints = std::move(ordered);
  }
  table.bodyparts = bodyparts;
  return table;
}

}  // namespace ringpose::data
