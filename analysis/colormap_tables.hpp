// Colormaps that are tables, not formulas: 256 RGB entries, six hexadecimal digits each. Internal to analysis.
// Source: viridis, plasma, inferno and magma by Nathaniel J. Smith and Stefan van der Walt, released under CC0.
#pragma once
#include <string_view>

namespace ringpose::analysis {

extern const std::string_view kViridis;
extern const std::string_view kPlasma;
extern const std::string_view kInferno;
extern const std::string_view kMagma;

}  // namespace ringpose::analysis
