// Figures as values: panels with series, and where their ticks and pixels lie. Pure.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analysis/colormap.hpp"

namespace ringpose::analysis {

/// One curve; NaN interrupts it. x and y have equal lengths.
struct Series {
  std::string name;  ///< legend text
  Color color{};
  std::vector<double> x, y;
};

struct Range {
  double low = 0;
  double high = 1;
};

struct Panel {
  std::string y_label;
  std::vector<Series> series;
  std::optional<double> level;  ///< dashed horizontal line
  std::string level_name;
  std::optional<Range> y_at_least;  ///< always shown
  bool y_down = false;              ///< image coordinates: small values on top
};

/// Panels below each other over one x axis. The legend shows the names of the first panel's series, or of each panel's
/// own where `own_legends` is set.
struct Figure {
  std::string title;
  std::string x_label;
  std::vector<Panel> panels;
  bool own_legends = false;
};

/// Range over all finite values, the level and `y_at_least`, with a margin; around [0, 1] where there are none.
[[nodiscard]] Range y_range(const Panel& panel);
/// Range over all finite x; widened where it would be empty.
[[nodiscard]] Range x_range(const Figure& figure);

/// Multiples of 1, 2 or 5 times a power of ten inside the range, at most `most` (2 or more).
[[nodiscard]] std::vector<double> nice_ticks(Range range, int most);
/// Shortest text that tells ticks `step` apart: 0.5 gives "1.5", 10 gives "120".
[[nodiscard]] std::string tick_text(double value, double step);

/// Maps a value of `from` to pixels between `low_px` and `high_px`.
[[nodiscard]] double to_pixel(double value, Range from, double low_px, double high_px);

}  // namespace ringpose::analysis
