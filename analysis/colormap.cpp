#include "analysis/colormap.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <string_view>

#include "analysis/colormap_tables.hpp"
#include "data/error.hpp"

namespace ringpose::analysis {
namespace {

constexpr int kEntries = 256;  // matplotlib's default table length

/// One channel as a curve over [0, 1].
struct Point {
  double x, y;
};
using Curve = std::vector<Point>;
using Rgb = std::array<double, 3>;
using Map = std::function<Rgb(double)>;

/// In units of table entries, as matplotlib does: rounding decides some colours by one level.
double interpolate(const Curve& curve, double x) {
  const double entry = x * (kEntries - 1);
  for (std::size_t i = 1; i < curve.size(); ++i) {
    const double before = curve[i - 1].x * (kEntries - 1), after = curve[i].x * (kEntries - 1);
    if (entry <= after) return (entry - before) / (after - before) * (curve[i].y - curve[i - 1].y) + curve[i - 1].y;
  }
  return curve.back().y;
}

Map from_curves(Curve red, Curve green, Curve blue) {
  return [=](double x) { return Rgb{interpolate(red, x), interpolate(green, x), interpolate(blue, x)}; };
}

Rgb rainbow(double x) {
  return {std::abs(2 * x - 0.5), std::sin(x * std::numbers::pi), std::cos(x * std::numbers::pi / 2)};
}

const std::map<std::string, Map>& formulas() {
  static const std::map<std::string, Map> maps = {
      {"autumn",
       [](double x) {
         return Rgb{1, x, 0};
       }},
      {"cool",
       [](double x) {
         return Rgb{x, 1 - x, 1};
       }},
      {"gray",
       [](double x) {
         return Rgb{x, x, x};
       }},
      {"hsv",
       from_curves(
           {{0, 1},
            {0.158730, 1},
            {0.174603, 0.968750},
            {0.333333, 0.031250},
            {0.349206, 0},
            {0.666667, 0},
            {0.682540, 0.031250},
            {0.841270, 0.968750},
            {0.857143, 1},
            {1, 1}},
           {{0, 0}, {0.158730, 0.937500}, {0.174603, 1}, {0.507937, 1}, {0.666667, 0.062500}, {0.682540, 0}, {1, 0}},
           {{0, 0},
            {0.333333, 0},
            {0.349206, 0.062500},
            {0.507937, 1},
            {0.841270, 1},
            {0.857143, 0.937500},
            {1, 0.09375}})},
      {"jet", from_curves({{0, 0}, {0.35, 0}, {0.66, 1}, {0.89, 1}, {1, 0.5}},
                          {{0, 0}, {0.125, 0}, {0.375, 1}, {0.64, 1}, {0.91, 0}, {1, 0}},
                          {{0, 0.5}, {0.11, 1}, {0.34, 1}, {0.65, 0}, {1, 0}})},
      {"rainbow", rainbow},
      {"spring",
       [](double x) {
         return Rgb{1, x, 1 - x};
       }},
      {"summer",
       [](double x) {
         return Rgb{x, 0.5 + x / 2, 0.4};
       }},
      {"winter",
       [](double x) {
         return Rgb{0, x, 1 - x / 2};
       }},
  };
  return maps;
}

const std::map<std::string, std::string_view>& tables() {
  static const std::map<std::string, std::string_view> maps = {
      {"inferno", kInferno}, {"magma", kMagma}, {"plasma", kPlasma}, {"viridis", kViridis}};
  return maps;
}

Color from_hex(std::string_view digits) {
  Color color{};
  for (std::size_t i = 0; i < color.size(); ++i)
    std::from_chars(digits.data() + 2 * i, digits.data() + 2 * i + 2, color[i], 16);
  return color;
}

Color entry(const std::string& name, int index) {
  if (const auto table = tables().find(name); table != tables().end())
    return from_hex(table->second.substr(static_cast<std::size_t>(index) * 6, 6));
  const auto formula = formulas().find(name);
  if (formula == formulas().end())
    throw data::ConfigError(fmt::format("unknown colormap '{}': use {}, or one of them with _r behind for the reverse",
                                        name, fmt::join(colormap_names(), ", ")));
  const Rgb rgb = formula->second(index == kEntries - 1 ? 1.0 : index * (1.0 / (kEntries - 1)));
  Color color{};
  for (std::size_t i = 0; i < color.size(); ++i)
    color[i] = static_cast<std::uint8_t>(std::clamp(rgb[i], 0.0, 1.0) * 255);
  return color;
}

}  // namespace

std::vector<std::string> colormap_names() {
  std::vector<std::string> names;
  for (const auto& [name, map] : formulas()) names.push_back(name);
  for (const auto& [name, table] : tables()) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<Color> bodypart_colors(const std::string& colormap, std::size_t count) {
  const bool reversed = colormap.ends_with("_r");
  const std::string name = reversed ? colormap.substr(0, colormap.size() - 2) : colormap;
  std::vector<Color> colors;
  for (std::size_t i = 0; i < count; ++i) {
    const double x = count > 1 ? static_cast<double>(i) / static_cast<double>(count - 1) : 0;
    const int index = std::min(kEntries - 1, static_cast<int>(x * kEntries));
    colors.push_back(entry(name, reversed ? kEntries - 1 - index : index));
  }
  return colors;
}

Color named_color(const std::string& name) {
  static const std::map<std::string, Color> names = {
      {"k", {0, 0, 0}},          {"black", {0, 0, 0}},      {"w", {255, 255, 255}},    {"white", {255, 255, 255}},
      {"r", {255, 0, 0}},        {"red", {255, 0, 0}},      {"g", {0, 127, 0}},        {"green", {0, 128, 0}},
      {"lime", {0, 255, 0}},     {"b", {0, 0, 255}},        {"blue", {0, 0, 255}},     {"navy", {0, 0, 128}},
      {"c", {0, 191, 191}},      {"cyan", {0, 255, 255}},   {"m", {191, 0, 191}},      {"magenta", {255, 0, 255}},
      {"y", {191, 191, 0}},      {"yellow", {255, 255, 0}}, {"gray", {128, 128, 128}}, {"grey", {128, 128, 128}},
      {"orange", {255, 165, 0}}, {"purple", {128, 0, 128}}, {"pink", {255, 192, 203}}, {"brown", {165, 42, 42}}};
  if (const auto found = names.find(name); found != names.end()) return found->second;
  const bool hex =
      name.size() == 7 && name[0] == '#' && name.find_first_not_of("0123456789abcdefABCDEF", 1) == std::string::npos;
  if (hex) return from_hex(std::string_view(name).substr(1));
  throw data::ConfigError(
      fmt::format("unknown color '{}': use a name (black, white, red, green, blue, cyan, magenta, yellow, gray, "
                  "orange, purple, pink, brown, navy, lime) or #rrggbb",
                  name));
}

}  // namespace ringpose::analysis
