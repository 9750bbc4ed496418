#include "analysis/prediction_columns.hpp"

#include <fmt/format.h>

#include "data/error.hpp"

namespace ringpose::analysis {

void check_table(const PredictionTable& table) {
  const std::size_t expected = static_cast<std::size_t>(table.frames) * table.bodyparts.size() * kCoordinates.size();
  if (table.bodyparts.empty() || table.frames < 0 || table.values_FK3.size() != expected)
    throw data::ConfigError(fmt::format("a prediction table of {} frames and {} bodyparts holds {} values, expected {}",
                                        table.frames, table.bodyparts.size(), table.values_FK3.size(), expected));
}

void set_columns(PredictionTable& table, const std::vector<ColumnName>& columns, const std::filesystem::path& path) {
  const std::size_t triple = kCoordinates.size();
  const auto refuse = [&](const std::string& found) {
    throw data::FormatError(
        fmt::format("cannot read predictions from {}: {}; expected columns x, y, likelihood for each "
                    "bodypart of one scorer, as DeepLabCut writes them for a single animal",
                    path.string(), found));
  };
  if (columns.empty() || columns.size() % triple != 0) refuse(fmt::format("it has {} columns", columns.size()));
  table.scorer = columns[0][0];
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto& [scorer, bodypart, coordinate] = columns[i];
    if (i % triple == 0) table.bodyparts.push_back(bodypart);
    if (scorer != table.scorer || bodypart != table.bodyparts.back() || coordinate != kCoordinates[i % triple])
      refuse(fmt::format("column {} is ({}, {}, {})", i, scorer, bodypart, coordinate));
  }
}

}  // namespace ringpose::analysis
