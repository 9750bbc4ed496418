#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <fstream>
#include <limits>
#include <string_view>

#include "analysis/number_text.hpp"
#include "analysis/prediction_columns.hpp"
#include "analysis/prediction_writer.hpp"
#include "data/atomic_file.hpp"
#include "data/error.hpp"

namespace ringpose::analysis {
namespace {

constexpr int kHeaderLines = 3;
constexpr const char* kHeaderNames[kHeaderLines] = {"scorer", "bodyparts", "coords"};

/// Quotes as Python's csv module does by default: only where needed.
std::string quoted(const std::string& field) {
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  std::string out(1, '"');
  for (const char c : field) out.append(c == '"' ? 2 : 1, c);
  return out.append(1, '"');
}

std::string header(const PredictionTable& table) {
  std::string lines[kHeaderLines];
  for (int i = 0; i < kHeaderLines; ++i) lines[i] = kHeaderNames[i];
  for (const std::string& bodypart : table.bodyparts)
    for (const char* coordinate : kCoordinates) {
      lines[0].append(1, ',').append(quoted(table.scorer));
      lines[1].append(1, ',').append(quoted(bodypart));
      lines[2].append(1, ',').append(coordinate);
    }
  return lines[0] + "\n" + lines[1] + "\n" + lines[2] + "\n";
}

std::vector<std::string> split_fields(std::string_view line) {
  std::vector<std::string> fields(1);
  bool inside = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const bool doubled = inside && c == '"' && i + 1 < line.size() && line[i + 1] == '"';
    if (doubled)
      fields.back() += line[++i];
    else if (c == '"')
      inside = !inside;
    else if (c == ',' && !inside)
      fields.emplace_back();
    else if (c != '\r')
      fields.back() += c;
  }
  return fields;
}

class CsvReader {
 public:
  explicit CsvReader(const std::filesystem::path& path) : path_(path), stream_(path) {
    if (!stream_ || std::filesystem::is_directory(path))
      throw data::IoError(data::io_message("read the predictions", path, errno != 0 ? errno : ENOENT));
  }

  PredictionTable read() {
    PredictionTable table;
    read_header(table);
    for (std::string line; std::getline(stream_, line);) {
      ++line_;
      if (!line.empty()) read_row(split_fields(line), table);
    }
    return table;
  }

 private:
  [[noreturn]] void refuse(const std::string& found) const {
    throw data::FormatError(fmt::format("cannot read predictions from {}, line {}: {}", path_.string(), line_, found));
  }

  void read_header(PredictionTable& table) {
    std::vector<std::string> rows[kHeaderLines];
    for (auto& row : rows) {
      std::string line;
      std::getline(stream_, line);
      row = split_fields(line);
      const char* expected = kHeaderNames[line_++];
      if (row[0] != expected || row.size() != rows[0].size())
        refuse(fmt::format(
            "it starts with '{}', expected '{}' (a single-animal file has three header lines: scorer, bodyparts, "
            "coords)",
            row[0].substr(0, 40), expected));
    }
    std::vector<ColumnName> columns;
    for (std::size_t i = 1; i < rows[0].size(); ++i) columns.push_back({rows[0][i], rows[1][i], rows[2][i]});
    set_columns(table, columns, path_);
  }

  void read_row(const std::vector<std::string>& fields, PredictionTable& table) const {
    const std::size_t expected = table.bodyparts.size() * kCoordinates.size() + 1;
    if (fields.size() != expected) refuse(fmt::format("{} fields, expected {}", fields.size(), expected));
    if (fields[0] != std::to_string(table.frames))
      refuse(fmt::format("frame '{}', expected {}", fields[0], table.frames));
    for (std::size_t i = 1; i < fields.size(); ++i) table.values_FK3.push_back(number(fields[i]));
    ++table.frames;
  }

  float number(const std::string& field) const {
    if (field.empty() || field == "nan") return std::numeric_limits<float>::quiet_NaN();
    float value = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (end != field.data() + field.size() || error == std::errc::invalid_argument)
      refuse(fmt::format("'{}' is not a number", field));
    return value;
  }

  std::filesystem::path path_;
  std::ifstream stream_;
  std::size_t line_ = 0;
};

}  // namespace

void write_prediction_csv(const std::filesystem::path& path, const PredictionTable& table) {
  check_table(table);
  const std::size_t columns = table.bodyparts.size() * kCoordinates.size();
  std::string text = header(table);
  for (std::int64_t frame = 0; frame < table.frames; ++frame) {
    text += std::to_string(frame);
    const float* row = table.at(frame, 0);
    for (std::size_t i = 0; i < columns; ++i) text.append(1, ',').append(float_text(row[i]));
    text += "\n";
  }
  data::write_file_atomically(path, text);
}

PredictionTable read_prediction_csv(const std::filesystem::path& path) {
  errno = 0;
  return CsvReader(path).read();
}

PredictionTable read_predictions(const std::filesystem::path& path) {
  if (path.extension() == ".csv") return read_prediction_csv(path);
  if (path.extension() == ".h5") return read_prediction_h5(path);
  throw data::ConfigError(fmt::format("cannot read predictions from {}: expected a .h5 or .csv file", path.string()));
}

}  // namespace ringpose::analysis
