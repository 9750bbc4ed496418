// Predictions drawn into a video: dots, skeleton, trails.
// Source of the rules: DeepLabCut utils/make_labeled_video.py (CreateVideo, CreateVideoSlow).
#pragma once
#include <array>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "analysis/colormap.hpp"
#include "analysis/drawing_facts.hpp"
#include "analysis/prediction_table.hpp"
#include "data/sample.hpp"

namespace ringpose::analysis {

struct LabelOptions {
  DrawingFacts drawing;
  int trailpoints = 0;  ///< earlier frames whose positions are drawn, fainter
  bool draw_skeleton = true;
  std::vector<std::string> displayed;  ///< bodyparts to draw; empty: all
  std::string codec = "mpeg4";         ///< VideoWriterOptions::codec
  /// Throws data::ConfigError.
  void validate() const;
};

/// Names resolved to numbers and colours once per video.
class FramePainter {
 public:
  /// Throws data::ConfigError on an unknown bodypart, colormap or colour. `table` must outlive the painter.
  FramePainter(const PredictionTable& table, const LabelOptions& options);
  /// A dot where likelihood > pcutoff; a line where both ends have a dot; a trail dot where the earlier frame had one.
  void draw(std::int64_t frame, data::Image& image) const;
  [[nodiscard]] bool shown(std::int64_t frame, std::size_t bodypart) const;

 private:
  void draw_dot(std::int64_t frame, std::size_t bodypart, double alpha, data::Image& image) const;
  void draw_links(std::int64_t frame, data::Image& image) const;

  const PredictionTable& table_;
  LabelOptions options_;
  std::vector<Color> colors_;
  Color link_color_;
  std::vector<bool> displayed_;
  std::vector<std::array<std::size_t, 2>> links_;
};

struct LabelReport {
  std::int64_t frames = 0;
  std::vector<std::int64_t> shown_K;  ///< frames in which each bodypart was drawn
};

/// Called with the number of frames written.
using LabelProgress = std::function<void(std::int64_t)>;

/// Throws data::FormatError when the video and the predictions do not have the same number of frames, and what the
/// reader and the writer throw; the output then does not appear.
LabelReport write_labelled_video(const std::filesystem::path& video, const PredictionTable& table,
                                 const LabelOptions& options, const std::filesystem::path& output,
                                 const LabelProgress& progress = {});

}  // namespace ringpose::analysis
