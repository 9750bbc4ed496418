// Colours of bodyparts, by matplotlib's colormap names: pure.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace ringpose::analysis {

using Color = std::array<std::uint8_t, 3>;  ///< RGB

/// `count` colours spread evenly over the map, first and last included, as DeepLabCut takes them: matplotlib's
/// 256-entry table, cut (not rounded) to 8 bits. A name ending in _r is the reversed map. Throws data::ConfigError
/// naming the known maps.
[[nodiscard]] std::vector<Color> bodypart_colors(const std::string& colormap, std::size_t count);

/// Names bodypart_colors() knows, without _r.
[[nodiscard]] std::vector<std::string> colormap_names();

/// A matplotlib colour: a base name (black, white, red, ...), a letter (k, w, r, ...) or #rrggbb. Throws
/// data::ConfigError.
[[nodiscard]] Color named_color(const std::string& name);

}  // namespace ringpose::analysis
