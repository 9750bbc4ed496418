// Expected values follow from the definition of the formats: (-1)^sign * 2^(exponent - bias) * significand.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

#include "mpi/half.hpp"

namespace {

using ringpose::mpi::from_bf16;
using ringpose::mpi::from_f16;
using ringpose::mpi::to_bf16;
using ringpose::mpi::to_f16;

struct Format {
  int mantissa_bits;
  int exponent_bits;
};
constexpr Format kF16{10, 5};
constexpr Format kBf16{7, 8};

/// Value of a finite bit pattern without sign.
double value_of(const Format& format, int bits) {
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  const int exponent = bits >> format.mantissa_bits;
  const double fraction = std::ldexp(bits & ((1 << format.mantissa_bits) - 1), -format.mantissa_bits);
  return exponent == 0 ? std::ldexp(fraction, 1 - bias) : std::ldexp(1.0 + fraction, exponent - bias);
}

int infinity_of(const Format& format) {
  return ((1 << format.exponent_bits) - 1) << format.mantissa_bits;
}

void expect_every_number(const Format& format, float (*from)(std::uint16_t), std::uint16_t (*to)(float)) {
  for (int bits = 0; bits < infinity_of(format); ++bits) {
    const auto positive = static_cast<std::uint16_t>(bits);
    const auto negative = static_cast<std::uint16_t>(bits | 0x8000);
    ASSERT_EQ(static_cast<double>(from(positive)), value_of(format, bits)) << bits;
    ASSERT_EQ(static_cast<double>(from(negative)), -value_of(format, bits)) << bits;
    ASSERT_EQ(to(from(positive)), positive);
    ASSERT_EQ(to(from(negative)), negative);
  }
}

/// Between neighbours a and b: the middle goes to the even one, everything nearer goes to the nearer.
void expect_rounding(const Format& format, std::uint16_t (*to)(float)) {
  for (int bits = 0; bits + 1 < infinity_of(format); ++bits) {
    const auto middle = static_cast<float>((value_of(format, bits) + value_of(format, bits + 1)) / 2);
    const int even = bits % 2 == 0 ? bits : bits + 1;
    ASSERT_EQ(to(middle), even) << bits;
    ASSERT_EQ(to(std::nextafter(middle, 0.0F)), bits) << bits;
    ASSERT_EQ(to(std::nextafter(middle, std::numeric_limits<float>::infinity())), bits + 1) << bits;
    ASSERT_EQ(to(-middle), even | 0x8000) << bits;
  }
}

TEST(Half, F16HoldsEveryNumber) {
  expect_every_number(kF16, from_f16, to_f16);
}

TEST(Half, Bf16HoldsEveryNumber) {
  expect_every_number(kBf16, from_bf16, to_bf16);
}

TEST(Half, F16RoundsToNearestEven) {
  expect_rounding(kF16, to_f16);
}

TEST(Half, Bf16RoundsToNearestEven) {
  expect_rounding(kBf16, to_bf16);
}

TEST(Half, KeepsInfinityAndNan) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(to_f16(kInfinity), 0x7c00);
  EXPECT_EQ(to_f16(-kInfinity), 0xfc00);
  EXPECT_EQ(to_f16(65519.0F), 0x7bff);  // greatest finite number is 65504; 65520 is half-way to the next
  EXPECT_EQ(to_f16(65520.0F), 0x7c00);
  EXPECT_EQ(to_bf16(kInfinity), 0x7f80);
  EXPECT_EQ(to_bf16(std::numeric_limits<float>::max()), 0x7f80);
  EXPECT_EQ(from_f16(0x7c00), kInfinity);
  EXPECT_EQ(from_bf16(0xff80), -kInfinity);
  EXPECT_TRUE(std::isnan(from_f16(to_f16(std::nanf("")))));
  EXPECT_TRUE(std::isnan(from_bf16(to_bf16(std::nanf("")))));
}

}  // namespace
