#include "analysis/plot_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ringpose::analysis {
namespace {

constexpr double kMarginShare = 0.04;

class Extent {
 public:
  void add(double value) {
    if (!std::isfinite(value)) return;
    low_ = std::min(low_, value);
    high_ = std::max(high_, value);
  }
  [[nodiscard]] Range range() const {
    if (low_ > high_) return {0, 1};
    return low_ == high_ ? Range{low_ - 0.5, high_ + 0.5} : Range{low_, high_};
  }

 private:
  double low_ = std::numeric_limits<double>::infinity();
  double high_ = -std::numeric_limits<double>::infinity();
};

}  // namespace

Range y_range(const Panel& panel) {
  Extent extent;
  for (const Series& series : panel.series)
    for (const double value : series.y) extent.add(value);
  if (panel.level) extent.add(*panel.level);
  if (panel.y_at_least) {
    extent.add(panel.y_at_least->low);
    extent.add(panel.y_at_least->high);
  }
  const Range range = extent.range();
  const double margin = kMarginShare * (range.high - range.low);
  return {range.low - margin, range.high + margin};
}

Range x_range(const Figure& figure) {
  Extent extent;
  for (const Panel& panel : figure.panels)
    for (const Series& series : panel.series)
      for (const double value : series.x) extent.add(value);
  return extent.range();
}

std::vector<double> nice_ticks(Range range, int most) {
  const double rough = (range.high - range.low) / std::max(1, most - 1);
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= rough * (1 - 1e-9)) {
      step = factor * power;
      break;
    }
  std::vector<double> ticks;
  for (double n = std::ceil(range.low / step - 1e-9); n * step <= range.high + 1e-9 * step; ++n)
    ticks.push_back(n * step);
  return ticks;
}

std::string tick_text(double value, double step) {
  const int digits = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
  const std::string text = fmt::format("{:.{}f}", value, digits);
  return text.find_first_not_of("-0.") == std::string::npos && text[0] == '-' ? text.substr(1) : text;
}

double to_pixel(double value, Range from, double low_px, double high_px) {
  return low_px + (value - from.low) / (from.high - from.low) * (high_px - low_px);
}

}  // namespace ringpose::analysis
