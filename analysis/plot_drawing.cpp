#include "analysis/plot_drawing.hpp"

#include <fmt/format.h>

#include <cmath>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <string_view>

#include "data/atomic_file.hpp"
#include "data/error.hpp"

namespace ringpose::analysis {
namespace {

constexpr int kLeft = 90, kRight = 200, kTop = 50, kBottom = 60, kGap = 26;
constexpr int kFont = cv::FONT_HERSHEY_SIMPLEX;
constexpr double kTextScale = 0.45, kTitleScale = 0.6;
constexpr int kXTicks = 11, kYTicks = 6, kTickPx = 5, kDashPx = 8, kLegendStepPx = 20;
const cv::Scalar kBlack(0, 0, 0), kGrid(225, 225, 225), kLevel(90, 90, 90);

cv::Scalar scalar(const Color& color) {
  return {double(color[0]), double(color[1]), double(color[2])};
}

/// A '?' for each character, not each byte, that OpenCV's font lacks.
std::string drawable(const std::string& utf8) {
  std::string text;
  for (const char c : utf8) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) text += c;
    if (byte >= 0xC0) text += '?';  // the first of a character's bytes
  }
  return text;
}

cv::Size text_size(const std::string& text, double scale) {
  int baseline = 0;
  return cv::getTextSize(drawable(text), kFont, scale, 1, &baseline);
}

enum class Anchor { left, center, right };

void put_text(cv::Mat& canvas, const std::string& text, cv::Point place, Anchor anchor, double scale = kTextScale) {
  const int width = text_size(text, scale).width;
  const int shift = anchor == Anchor::left ? 0 : anchor == Anchor::center ? width / 2 : width;
  cv::putText(canvas, drawable(text), {place.x - shift, place.y}, kFont, scale, kBlack, 1, cv::LINE_AA);
}

/// Text turned by 90 degrees, centred at `place`.
void put_sideways(cv::Mat& canvas, const std::string& text, cv::Point place) {
  const cv::Size size = text_size(text, kTextScale);
  cv::Mat strip(size.height + 10, size.width + 4, CV_8UC3, cv::Scalar(255, 255, 255));
  cv::putText(strip, drawable(text), {2, size.height + 2}, kFont, kTextScale, kBlack, 1, cv::LINE_AA);
  cv::rotate(strip, strip, cv::ROTATE_90_COUNTERCLOCKWISE);
  const cv::Rect box(place.x - strip.cols / 2, place.y - strip.rows / 2, strip.cols, strip.rows);
  const cv::Rect inside = box & cv::Rect(0, 0, canvas.cols, canvas.rows);
  strip(inside - box.tl()).copyTo(canvas(inside));
}

/// One panel's rectangle and scales.
struct Frame {
  cv::Rect box;
  Range x, y;
  bool y_down;
  [[nodiscard]] int column(double value) const { return cvRound(to_pixel(value, x, box.x, box.x + box.width)); }
  [[nodiscard]] int row(double value) const {
    const double top = box.y, bottom = box.y + box.height;
    return cvRound(y_down ? to_pixel(value, y, top, bottom) : to_pixel(value, y, bottom, top));
  }
};

double step_of(const std::vector<double>& ticks) {
  return ticks.size() > 1 ? ticks[1] - ticks[0] : 1;
}

void draw_axes(cv::Mat& canvas, const Frame& frame, const Panel& panel, bool with_x_numbers) {
  const int right = frame.box.x + frame.box.width, bottom = frame.box.y + frame.box.height;
  const auto x_ticks = nice_ticks(frame.x, kXTicks), y_ticks = nice_ticks(frame.y, kYTicks);
  for (const double tick : x_ticks) {
    const int column = frame.column(tick);
    cv::line(canvas, {column, frame.box.y}, {column, bottom}, kGrid);
    cv::line(canvas, {column, bottom}, {column, bottom + kTickPx}, kBlack);
    if (with_x_numbers) put_text(canvas, tick_text(tick, step_of(x_ticks)), {column, bottom + 20}, Anchor::center);
  }
  for (const double tick : y_ticks) {
    const int row = frame.row(tick);
    cv::line(canvas, {frame.box.x, row}, {right, row}, kGrid);
    cv::line(canvas, {frame.box.x - kTickPx, row}, {frame.box.x, row}, kBlack);
    put_text(canvas, tick_text(tick, step_of(y_ticks)), {frame.box.x - 9, row + 5}, Anchor::right);
  }
  cv::rectangle(canvas, frame.box.tl(), frame.box.br(), kBlack);
  put_sideways(canvas, panel.y_label, {22, frame.box.y + frame.box.height / 2});
}

void draw_series(cv::Mat& canvas, const Frame& frame, const Series& series) {
  const auto finite = [&](std::size_t i) { return std::isfinite(series.x[i]) && std::isfinite(series.y[i]); };
  const auto point = [&](std::size_t i) { return cv::Point(frame.column(series.x[i]), frame.row(series.y[i])); };
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    if (!finite(i)) continue;
    const bool joined = i > 0 && finite(i - 1);
    const bool alone = !joined && (i + 1 == series.x.size() || !finite(i + 1));
    if (joined) cv::line(canvas, point(i - 1), point(i), scalar(series.color), 1, cv::LINE_AA);
    if (alone) cv::circle(canvas, point(i), 1, scalar(series.color), cv::FILLED, cv::LINE_AA);
  }
}

void draw_level(cv::Mat& canvas, const Frame& frame, double level, const std::string& name) {
  const int row = frame.row(level), right = frame.box.x + frame.box.width;
  for (int column = frame.box.x; column < right; column += 2 * kDashPx)
    cv::line(canvas, {column, row}, {std::min(column + kDashPx, right), row}, kLevel);
  put_text(canvas, name, {right + 8, row + 5}, Anchor::left);
}

void draw_legend(cv::Mat& canvas, const Frame& frame, const Panel& panel) {
  int row = frame.box.y + 8;
  const int column = frame.box.x + frame.box.width + 12;
  for (const Series& series : panel.series) {
    if (row > frame.box.y + frame.box.height) return;  // more names than fit
    cv::line(canvas, {column, row}, {column + 22, row}, scalar(series.color), 3, cv::LINE_AA);
    put_text(canvas, series.name, {column + 30, row + 5}, Anchor::left);
    row += kLegendStepPx;
  }
}

}  // namespace

data::Image draw_figure(const Figure& figure, const PlotOptions& options) {
  const int panels = static_cast<int>(figure.panels.size());
  data::Image image;
  image.width_px = options.width_px;
  image.height_px = kTop + panels * options.panel_height_px + std::max(0, panels - 1) * kGap + kBottom;
  image.pixels_HWC.assign(std::size_t{3} * image.width_px * image.height_px, 255);
  cv::Mat canvas(image.height_px, image.width_px, CV_8UC3, image.pixels_HWC.data());
  put_text(canvas, figure.title, {kLeft, 30}, Anchor::left, kTitleScale);
  const Range x = x_range(figure);
  for (int i = 0; i < panels; ++i) {
    const Panel& panel = figure.panels[static_cast<std::size_t>(i)];
    const cv::Rect box(kLeft, kTop + i * (options.panel_height_px + kGap), options.width_px - kLeft - kRight,
                       options.panel_height_px);
    const Frame frame{box, x, y_range(panel), panel.y_down};
    draw_axes(canvas, frame, panel, i + 1 == panels);
    for (const Series& series : panel.series) draw_series(canvas, frame, series);
    if (panel.level) draw_level(canvas, frame, *panel.level, panel.level_name);
    if (i == 0 || figure.own_legends) draw_legend(canvas, frame, panel);
  }
  put_text(canvas, figure.x_label, {kLeft + (options.width_px - kLeft - kRight) / 2, image.height_px - 15},
           Anchor::center);
  return image;
}

void write_png(const std::filesystem::path& path, const data::Image& image) {
  if (path.extension() != ".png")
    throw data::ConfigError(fmt::format("cannot write the plot {}: its name must end in .png", path.string()));
  const cv::Mat rgb(image.height_px, image.width_px, CV_8UC3, const_cast<std::uint8_t*>(image.pixels_HWC.data()));
  cv::Mat bgr;
  cv::cvtColor(rgb, bgr, cv::COLOR_RGB2BGR);
  std::vector<std::uint8_t> bytes;
  if (!cv::imencode(".png", bgr, bytes)) throw data::IoError(fmt::format("cannot encode the plot {}", path.string()));
  data::write_file_atomically(path, std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

}  // namespace ringpose::analysis
