#include "data/crc32c.hpp"

#include <array>

namespace ringpose::data {
namespace {

constexpr std::uint32_t kReflectedPolynomial = 0x82F63B78U;
constexpr std::size_t kSlices = 8;

using Tables = std::array<std::array<std::uint32_t, 256>, kSlices>;

/// tables[s][b]: remainder of byte b followed by s zero bytes, so that eight bytes take eight independent look-ups.
constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t remainder = byte;
    for (int bit = 0; bit < 8; ++bit)
      remainder = (remainder >> 1) ^ ((remainder & 1U) != 0 ? kReflectedPolynomial : 0U);
    tables[0][byte] = remainder;
  }
  for (std::size_t slice = 1; slice < kSlices; ++slice)
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t previous = tables[slice - 1][byte];
      tables[slice][byte] = (previous >> 8) ^ tables[0][previous & 0xFFU];
    }
  return tables;
}

constexpr Tables kTables = make_tables();

}  // namespace

std::uint32_t crc32c(std::span<const std::uint8_t> bytes) {
  std::uint32_t crc = 0xFFFFFFFFU;
  std::size_t i = 0;
  for (; i + kSlices <= bytes.size(); i += kSlices) {
    std::uint32_t next = 0;
    for (std::size_t j = 0; j < kSlices; ++j) {
      const std::uint32_t state_byte = j < 4 ? (crc >> (8 * j)) & 0xFFU : 0U;
      next ^= kTables[kSlices - 1 - j][state_byte ^ bytes[i + j]];
    }
    crc = next;
  }
  for (; i < bytes.size(); ++i) crc = (crc >> 8) ^ kTables[0][(crc ^ bytes[i]) & 0xFFU];
  return ~crc;
}

}  // namespace ringpose::data
