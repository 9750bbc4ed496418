#include "trainer/content_hash.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstring>

namespace ringpose::trainer {

void ContentHash::add(std::uint64_t word) {
  constexpr std::uint64_t kOddMultiplier = 0x9e3779b97f4a7c15ULL;  // odd, so the product is a bijection
  state_ = std::rotl((state_ ^ word) * kOddMultiplier, 29);
}

void ContentHash::add(std::span<const std::byte> bytes) {
  add(static_cast<std::uint64_t>(bytes.size()));
  std::size_t at = 0;
  for (; at + sizeof(std::uint64_t) <= bytes.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    add(word);
  }
  std::uint64_t rest = 0;
  if (at < bytes.size()) std::memcpy(&rest, bytes.data() + at, bytes.size() - at);
  add(rest);
}

void ContentHash::add(std::string_view text) {
  add(std::as_bytes(std::span(text.data(), text.size())));
}

std::string ContentHash::hex() const {
  return fmt::format("{:016x}", state_);
}

}  // namespace ringpose::trainer
