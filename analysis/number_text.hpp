// float32 as numpy 2 prints it, which is what pandas writes into CSV files.
#pragma once
#include <string>

namespace ringpose::analysis {

/// Fewest digits that give back the same float: positional for 1e-4 <= |value| < 1e6 (whole numbers as "3.0"), else
/// scientific with two exponent digits ("1e-05"). NaN gives an empty text, as pandas does.
[[nodiscard]] std::string float_text(float value);

}  // namespace ringpose::analysis
