// Draws a figure with OpenCV and writes it as PNG.
#pragma once
#include <filesystem>

#include "analysis/plot_layout.hpp"
#include "data/sample.hpp"

namespace ringpose::analysis {

struct PlotOptions {
  int width_px = 1200;
  int panel_height_px = 260;
};

/// RGB picture with axes, numbers, legend. Texts beyond ASCII are drawn as '?': OpenCV's built-in font has no more.
[[nodiscard]] data::Image draw_figure(const Figure& figure, const PlotOptions& options = {});
/// Atomic. Throws data::ConfigError unless the name ends in .png, data::IoError.
void write_png(const std::filesystem::path& path, const data::Image& image);

}  // namespace ringpose::analysis
