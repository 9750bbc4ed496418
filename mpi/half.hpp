// 16-bit floating-point numbers to float and back, for sums on the host. Rounds to nearest, ties to even.
#pragma once
#include <cstdint>

namespace ringpose::mpi {

/// IEEE 754 binary16 (1 sign, 5 exponent, 10 mantissa bits).
[[nodiscard]] float from_f16(std::uint16_t bits);
[[nodiscard]] std::uint16_t to_f16(float value);

/// The upper half of an IEEE 754 binary32 (1 sign, 8 exponent, 7 mantissa bits).
[[nodiscard]] float from_bf16(std::uint16_t bits);
[[nodiscard]] std::uint16_t to_bf16(float value);

}  // namespace ringpose::mpi
