#include "analysis/number_text.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace ringpose::analysis {

std::string float_text(float value) {
  if (std::isnan(value)) return "";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  const double magnitude = std::abs(static_cast<double>(value));
  const bool positional = magnitude == 0 || (magnitude >= 1e-4 && magnitude < 1e6);
  std::array<char, 64> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 positional ? std::chars_format::fixed : std::chars_format::scientific);
  std::string text(buffer.data(), end.ptr);
  if (positional && text.find('.') == std::string::npos) text += ".0";
  return text;
}

}  // namespace ringpose::analysis
