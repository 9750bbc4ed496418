// Seeded textures for synthetic pictures: smooth noise and backdrops. Internal to the data folder (OpenCV in the
// interface).
#pragma once
#include <cstdint>
#include <opencv2/core.hpp>

namespace ringpose::data {

/// Smooth noise in [0, 1] at any point of the plane: random values on the integer grid, blended between grid points
/// (value noise); `seed` picks the plane.
[[nodiscard]] double value_noise(std::uint64_t seed, double x, double y);

/// Sum of `octaves` noises, each twice as fine and half as strong, scaled to [0, 1].
[[nodiscard]] double layered_noise(std::uint64_t seed, double x, double y, int octaves);

/// An RGB backdrop of the size given, all drawn from the seed: cloudy ground, cage bars, bedding specks, soft spots.
/// `unit_px` scales the details (1 for a 320x240 picture). CV_8UC3.
[[nodiscard]] cv::Mat make_backdrop(std::uint64_t seed, cv::Size size, double unit_px);

}  // namespace ringpose::data
