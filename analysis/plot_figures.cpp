#include "analysis/plot_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <sstream>

#include "data/error.hpp"

namespace ringpose::analysis {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr std::array<const char*, 3> kPanelLabels = {"x (px)", "y (px)", "likelihood"};
constexpr std::size_t kLikelihood = 2;

std::vector<std::string> split_commas(const std::string& line) {
  std::vector<std::string> fields(1);
  for (const char c : line) {
    if (c == ',')
      fields.emplace_back();
    else if (c != '\r')
      fields.back() += c;
  }
  return fields;
}

/// Columns of a CSV text by name; empty cells are NaN.
class CsvColumns {
 public:
  CsvColumns(const std::string& text, std::string name) : name_(std::move(name)) {
    std::istringstream stream(text);
    std::string line;
    std::getline(stream, line);
    header_ = split_commas(line);
    while (std::getline(stream, line)) {
      if (line.empty()) continue;
      rows_.push_back(split_commas(line));
      if (rows_.back().size() != header_.size())
        throw data::FormatError(fmt::format("cannot plot {}: the row '{}' has {} fields, expected {}", name_, line,
                                            rows_.back().size(), header_.size()));
    }
  }

  [[nodiscard]] std::vector<double> column(const std::string& name) const {
    const auto place = std::find(header_.begin(), header_.end(), name);
    if (place == header_.end())
      throw data::FormatError(
          fmt::format("cannot plot {}: it has no column '{}', as learning_stats.csv has", name_, name));
    std::vector<double> values;
    for (const auto& row : rows_) values.push_back(number(row[static_cast<std::size_t>(place - header_.begin())]));
    return values;
  }

 private:
  double number(const std::string& field) const {
    if (field.empty()) return kNone;
    double value = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (error != std::errc() || end != field.data() + field.size())
      throw data::FormatError(fmt::format("cannot plot {}: '{}' is not a number", name_, field));
    return value;
  }

  std::string name_;
  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> rows_;
};

/// Evaluations are rarer than epochs: rows without a value are left out, so that the rest is joined.
Series known_points(const std::string& name, Color color, const std::vector<double>& x, const std::vector<double>& y) {
  Series series{name, color, {}, {}};
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (y[i] != y[i]) continue;
    series.x.push_back(x[i]);
    series.y.push_back(y[i]);
  }
  return series;
}

}  // namespace

Figure prediction_figure(const PredictionTable& table, const DrawingFacts& drawing) {
  const auto colors = bodypart_colors(drawing.colormap, table.bodyparts.size());
  Figure figure{table.scorer, "frame", {}, false};
  for (std::size_t coordinate = 0; coordinate < kPanelLabels.size(); ++coordinate) {
    Panel panel;
    panel.y_label = kPanelLabels[coordinate];
    panel.y_down = coordinate == 1;
    for (std::size_t k = 0; k < table.bodyparts.size(); ++k) {
      Series series{table.bodyparts[k], colors[k], {}, {}};
      for (std::int64_t frame = 0; frame < table.frames; ++frame) {
        const float* point = table.at(frame, k);
        const bool drawn = coordinate == kLikelihood || point[kLikelihood] > drawing.pcutoff;
        series.x.push_back(static_cast<double>(frame));
        series.y.push_back(drawn ? point[coordinate] : kNone);
      }
      panel.series.push_back(std::move(series));
    }
    figure.panels.push_back(std::move(panel));
  }
  figure.panels[kLikelihood].y_at_least = Range{0, 1};
  figure.panels[kLikelihood].level = drawing.pcutoff;
  figure.panels[kLikelihood].level_name = fmt::format("pcutoff {}", drawing.pcutoff);
  return figure;
}

Figure training_figure(const std::string& csv_text, const std::string& name) {
  const CsvColumns csv(csv_text, name);
  const auto epoch = csv.column("step");
  const auto colors = bodypart_colors("viridis", 4);
  Panel loss, error;
  loss.y_label = "loss";
  error.y_label = "test error (px)";
  loss.series.push_back(known_points("total", colors[0], epoch, csv.column("losses/train.total_loss")));
  loss.series.push_back(known_points("heatmap", colors[1], epoch, csv.column("losses/train.bodypart_heatmap")));
  loss.series.push_back(known_points("locref", colors[2], epoch, csv.column("losses/train.bodypart_locref")));
  error.series.push_back(known_points("all points", colors[0], epoch, csv.column("metrics/test.rmse")));
  error.series.push_back(known_points("above pcutoff", colors[2], epoch, csv.column("metrics/test.rmse_pcutoff")));
  return {name, "epoch", {std::move(loss), std::move(error)}, true};
}

}  // namespace ringpose::analysis
