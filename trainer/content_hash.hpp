// A 64-bit hash that notices every single changed bit: plan and parameter comparison over ranks, checkpoint checksums.
// Not cryptographic. Source of the mixing step: FNV-1a (Fowler, Noll, Vo), over 64-bit words and with a rotation.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ringpose::trainer {

/// Depends on the bytes, their order and how add() cut them into pieces. For a fixed state each step is a bijection of
/// the word that goes in, so two inputs that differ in one word always differ in their hash.
class ContentHash {
 public:
  void add(std::span<const std::byte> bytes);
  void add(std::string_view text);
  void add(std::uint64_t word);
  [[nodiscard]] std::uint64_t value() const { return state_; }
  /// 16 hex digits.
  [[nodiscard]] std::string hex() const;

 private:
  std::uint64_t state_ = 0xcbf29ce484222325ULL;
};

}  // namespace ringpose::trainer
