// SHA-256, for the identity of source images, of the packed data set and of downloaded weights.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace ringpose::data {

/// Incremental SHA-256 (FIPS 180-4), OpenSSL's. Throws std::runtime_error where OpenSSL fails.
class Sha256 {
 public:
  using Digest = std::array<std::uint8_t, 32>;

  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  void update(std::span<const std::uint8_t> bytes);
  /// The digest of all bytes given so far; the object must not be used afterwards.
  [[nodiscard]] Digest finish();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

/// Digest of one buffer.
[[nodiscard]] Sha256::Digest sha256(std::span<const std::uint8_t> bytes);
/// Lower-case hexadecimal text, two digits a byte.
[[nodiscard]] std::string to_hex(std::span<const std::uint8_t> bytes);

}  // namespace ringpose::data
