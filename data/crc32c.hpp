// CRC-32C (Castagnoli), the checksum of each packed sample.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace ringpose::data {

/// CRC-32C of `bytes` as in RFC 3720 (polynomial 0x1EDC6F41, reflected, initial and final inversion).
[[nodiscard]] std::uint32_t crc32c(std::span<const std::uint8_t> bytes);

}  // namespace ringpose::data
