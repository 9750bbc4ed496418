// SHA-256, for the identity of source images and of the packed data set.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace ringpose::data {

/// Incremental SHA-256 (FIPS 180-4).
class Sha256 {
 public:
  using Digest = std::array<std::uint8_t, 32>;

  void update(std::span<const std::uint8_t> bytes);
  /// The digest of all bytes given so far; the object must not be used afterwards.
  [[nodiscard]] Digest finish();

 private:
  void compress(const std::uint8_t* block);

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint8_t, 64> block_{};
  std::size_t block_bytes_ = 0;
  std::uint64_t total_bytes_ = 0;
};

/// Digest of one buffer.
[[nodiscard]] Sha256::Digest sha256(std::span<const std::uint8_t> bytes);
/// Lower-case hexadecimal text, two digits a byte.
[[nodiscard]] std::string to_hex(std::span<const std::uint8_t> bytes);

}  // namespace ringpose::data
