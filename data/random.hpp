// Counter-based random numbers: a value depends on its key alone, never on thread, rank or call order elsewhere.
// Own distributions, because those of <random> may differ between standard libraries.
#pragma once
#include <cstdint>
#include <initializer_list>

namespace ringpose::data {

/// SplitMix64 (Steele, Lea, Flood 2014) over a key mixed from integers such as (seed, epoch, position).
class Random {
 public:
  explicit Random(std::initializer_list<std::uint64_t> key) {
    for (std::uint64_t word : key) state_ = mix(state_ ^ mix(word + 0x9e3779b97f4a7c15ULL));
  }
  [[nodiscard]] std::uint64_t next_u64() { return mix(state_ += 0x9e3779b97f4a7c15ULL); }
  /// Uniform in [0, 1), 53 bits.
  [[nodiscard]] double uniform() { return static_cast<double>(next_u64() >> 11) * 0x1.0p-53; }
  /// Uniform in [low, high).
  [[nodiscard]] double uniform(double low, double high) { return low + (high - low) * uniform(); }
  /// Uniform integer in [0, bound), without bias; bound >= 1.
  [[nodiscard]] std::uint64_t below(std::uint64_t bound) {
    const std::uint64_t limit = (0 - bound) % bound;  // 2^64 mod bound
    for (;;) {
      const std::uint64_t x = next_u64();
      if (x >= limit) return x % bound;
    }
  }
  /// Standard normal (Box-Muller; two uniforms a call).
  [[nodiscard]] double normal();

 private:
  static std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  std::uint64_t state_ = 0x6a09e667f3bcc909ULL;
};

}  // namespace ringpose::data
