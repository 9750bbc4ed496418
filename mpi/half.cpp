#include "mpi/half.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace ringpose::mpi {

namespace {

constexpr std::uint32_t kSign = 0x80000000U;
constexpr std::uint16_t kInfinity16 = 0x7c00U;
constexpr std::uint16_t kNan16 = 0x7e00U;
constexpr int kMantissaBits = 10;
constexpr int kExponentBias = 15;

}  // namespace

float from_f16(std::uint16_t bits) {
  const int exponent = (bits >> kMantissaBits) & 0x1f;
  const int mantissa = bits & 0x3ff;
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000U) << 16;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000U | (static_cast<std::uint32_t>(mantissa) << 13));
  const int significand = exponent == 0 ? mantissa : mantissa + (1 << kMantissaBits);
  const int scale = (exponent == 0 ? 1 : exponent) - kExponentBias - kMantissaBits;
  const float magnitude = std::ldexp(static_cast<float>(significand), scale);
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(magnitude) | sign);
}

std::uint16_t to_f16(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits & kSign) >> 16);
  const float magnitude = std::fabs(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | kNan16);
  if (magnitude >= 65520.0F) return static_cast<std::uint16_t>(sign | kInfinity16);
  if (magnitude == 0.0F) return sign;
  int exponent = 0;
  std::frexp(magnitude, &exponent);  // magnitude = m * 2^exponent, 0.5 <= m < 1
  // Below 2^-14 the spacing stays that of 2^-14: subnormal numbers.
  const int unit = std::max(exponent - 1, 1 - kExponentBias) - kMantissaBits;
  const auto steps = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(magnitude, -unit)));
  // A significand that rounds up to 2^11 carries into the exponent by this addition.
  const std::uint32_t biased = static_cast<std::uint32_t>(unit + kMantissaBits + kExponentBias - 1) << kMantissaBits;
  return static_cast<std::uint16_t>(sign | (biased + steps));
}

float from_bf16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

std::uint16_t to_bf16(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>((bits >> 16) | 0x40U);
  return static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
}

}  // namespace ringpose::mpi
