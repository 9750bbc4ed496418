// Gaussian noise on 8-bit pixels, fast and reproducible.
#pragma once
#include <cstdint>
#include <span>

namespace ringpose::data {

/// Adds normal noise of mean 0 and the given variance (grey levels squared) to every byte on its own, then clips to
/// [0, 255] and drops the fraction, as albumentations 1.4.3 does (so the mean falls by half a grey level).
/// The noise depends on seed and position alone: SplitMix64 picks, with 16 bits a byte, from 65,536 equally likely
/// quantiles of the normal distribution (largest 4.3 standard deviations). variance >= 0.
void add_gaussian_noise(std::span<std::uint8_t> pixels, double variance, std::uint64_t seed);

}  // namespace ringpose::data
