#include "analysis/labelled_video.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "analysis/video_index.hpp"
#include "analysis/video_reader.hpp"
#include "analysis/video_writer.hpp"
#include "data/error.hpp"

namespace ringpose::analysis {
namespace {

constexpr double kTrailAlphaShare = 0.75;  // DeepLabCut's matplotlib mode
constexpr int kDotsizePerLinePx = 6;

std::size_t bodypart_number(const PredictionTable& table, const std::string& name) {
  const auto found = std::find(table.bodyparts.begin(), table.bodyparts.end(), name);
  if (found == table.bodyparts.end())
    throw data::ConfigError(
        fmt::format("unknown bodypart '{}': the predictions have {}", name, fmt::join(table.bodyparts, ", ")));
  return static_cast<std::size_t>(found - table.bodyparts.begin());
}

/// Pixels whose centre lies within `radius` of (x, y), blended with `alpha`.
void blend_disk(data::Image& image, double x, double y, double radius, const Color& color, double alpha) {
  const int top = std::max(0, static_cast<int>(std::ceil(y - radius)));
  const int bottom = std::min(image.height_px - 1, static_cast<int>(std::floor(y + radius)));
  const int left = std::max(0, static_cast<int>(std::ceil(x - radius)));
  const int right = std::min(image.width_px - 1, static_cast<int>(std::floor(x + radius)));
  for (int row = top; row <= bottom; ++row)
    for (int column = left; column <= right; ++column) {
      if ((row - y) * (row - y) + (column - x) * (column - x) > radius * radius) continue;
      std::uint8_t* pixel = &image.pixels_HWC[(static_cast<std::size_t>(row) * image.width_px + column) * 3];
      for (std::size_t c = 0; c < color.size(); ++c)
        pixel[c] = static_cast<std::uint8_t>(std::lround(pixel[c] + alpha * (color[c] - pixel[c])));
    }
}

}  // namespace

void LabelOptions::validate() const {
  if (!(drawing.pcutoff >= 0 && drawing.pcutoff <= 1) || !(drawing.alphavalue >= 0 && drawing.alphavalue <= 1))
    throw data::ConfigError(
        fmt::format("pcutoff {} and alphavalue {} must lie between 0 and 1", drawing.pcutoff, drawing.alphavalue));
  if (drawing.dotsize < 1 || trailpoints < 0)
    throw data::ConfigError(
        fmt::format("dotsize {} must be 1 or more, trailpoints {} 0 or more", drawing.dotsize, trailpoints));
}

FramePainter::FramePainter(const PredictionTable& table, const LabelOptions& options)
    : table_(table),
      options_(options),
      colors_(bodypart_colors(options.drawing.colormap, table.bodyparts.size())),
      link_color_(named_color(options.drawing.skeleton_color)),
      displayed_(table.bodyparts.size(), options.displayed.empty()) {
  options.validate();
  for (const std::string& name : options.displayed) displayed_[bodypart_number(table, name)] = true;
  if (!options.draw_skeleton) return;
  for (const auto& [first, second] : options.drawing.links) {
    const std::array<std::size_t, 2> link = {bodypart_number(table, first), bodypart_number(table, second)};
    if (displayed_[link[0]] && displayed_[link[1]]) links_.push_back(link);
  }
}

bool FramePainter::shown(std::int64_t frame, std::size_t bodypart) const {
  const float* point = table_.at(frame, bodypart);
  return displayed_[bodypart] && point[2] > options_.drawing.pcutoff && std::isfinite(point[0]) &&
         std::isfinite(point[1]);
}

void FramePainter::draw_dot(std::int64_t frame, std::size_t bodypart, double alpha, data::Image& image) const {
  if (!shown(frame, bodypart)) return;
  const float* point = table_.at(frame, bodypart);
  blend_disk(image, point[0], point[1], options_.drawing.dotsize, colors_[bodypart], alpha);
}

void FramePainter::draw_links(std::int64_t frame, data::Image& image) const {
  if (links_.empty()) return;
  cv::Mat pixels(image.height_px, image.width_px, CV_8UC3, image.pixels_HWC.data());
  const double alpha = options_.drawing.alphavalue;
  cv::Mat overlay = pixels.clone();
  const cv::Scalar color(link_color_[0], link_color_[1], link_color_[2]);
  const int thickness_px = std::max(1, options_.drawing.dotsize / kDotsizePerLinePx);
  for (const auto& [first, second] : links_) {
    if (!shown(frame, first) || !shown(frame, second)) continue;
    const float *a = table_.at(frame, first), *b = table_.at(frame, second);
    cv::line(overlay, cv::Point(cvRound(a[0]), cvRound(a[1])), cv::Point(cvRound(b[0]), cvRound(b[1])), color,
             thickness_px, cv::LINE_AA);
  }
  cv::addWeighted(overlay, alpha, pixels, 1 - alpha, 0, pixels);
}

void FramePainter::draw(std::int64_t frame, data::Image& image) const {
  draw_links(frame, image);
  const double alpha = options_.drawing.alphavalue;
  for (std::size_t bodypart = 0; bodypart < table_.bodyparts.size(); ++bodypart) {
    if (!shown(frame, bodypart)) continue;
    for (std::int64_t back = std::min<std::int64_t>(options_.trailpoints, frame); back >= 1; --back)
      draw_dot(frame - back, bodypart, kTrailAlphaShare * alpha, image);
    draw_dot(frame, bodypart, alpha, image);
  }
}

LabelReport write_labelled_video(const std::filesystem::path& video, const PredictionTable& table,
                                 const LabelOptions& options, const std::filesystem::path& output,
                                 const LabelProgress& progress) {
  const VideoIndex index = index_video(video);
  if (index.size() != table.frames)
    throw data::FormatError(
        fmt::format("the video {} has {} frames, its predictions have {}: they belong to another video, or the "
                    "video was changed; analyze it again with --overwrite",
                    video.string(), index.size(), table.frames));
  const FramePainter painter(table, options);
  VideoWriterOptions writer_options;
  writer_options.width_px = index.width_px;
  writer_options.height_px = index.height_px;
  writer_options.fps = index.fps;
  writer_options.codec = options.codec;
  VideoWriter writer(output, writer_options);
  VideoReader reader(video, index, {0, index.size()});
  LabelReport report;
  report.shown_K.assign(table.bodyparts.size(), 0);
  for (data::Image image; reader.next(image);) {
    for (std::size_t k = 0; k < table.bodyparts.size(); ++k)
      report.shown_K[k] += painter.shown(report.frames, k) ? 1 : 0;
    painter.draw(report.frames, image);
    writer.write(image);
    ++report.frames;
    if (progress) progress(report.frames);
  }
  writer.finish();
  return report;
}

}  // namespace ringpose::analysis
