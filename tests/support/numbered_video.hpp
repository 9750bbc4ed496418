// Videos whose frames carry their own number as black and white blocks, readable after lossy compression.
#pragma once
#include <filesystem>

#include "analysis/video_writer.hpp"
#include "data/sample.hpp"

namespace ringpose::tests {

inline constexpr int kBits = 10;
inline constexpr int kBlockPx = 16;
inline constexpr int kNumberedWidth = kBits * kBlockPx, kNumberedHeight = 96;

/// Top rows: the number in binary, lowest bit left. Below: a pattern that moves, so that predicted pictures differ.
inline data::Image numbered_frame(int number) {
  data::Image image{kNumberedHeight, kNumberedWidth, 3, {}};
  for (int y = 0; y < kNumberedHeight; ++y)
    for (int x = 0; x < kNumberedWidth; ++x) {
      const bool bit = (number >> (x / kBlockPx) & 1) != 0;
      const int moving = (3 * x + 5 * y + 7 * number) % 256;
      for (int channel = 0; channel < 3; ++channel)
        image.pixels_HWC.push_back(y < 2 * kBlockPx ? (bit ? 255 : 0)
                                                    : static_cast<unsigned char>(moving / (channel + 1)));
    }
  return image;
}

inline int read_number(const data::Image& image) {
  int number = 0;
  for (int bit = 0; bit < kBits; ++bit) {
    const int x = bit * kBlockPx + kBlockPx / 2;
    const auto place = (static_cast<std::size_t>(kBlockPx) * image.width_px + x) * 3;
    if (image.pixels_HWC[place] > 127) number |= 1 << bit;
  }
  return number;
}

/// The size in `options` is set here.
inline void write_numbered_video(const std::filesystem::path& path, int frames, analysis::VideoWriterOptions options) {
  options.width_px = kNumberedWidth;
  options.height_px = kNumberedHeight;
  analysis::VideoWriter writer(path, options);
  for (int i = 0; i < frames; ++i) writer.write(numbered_frame(i));
  writer.finish();
}

}  // namespace ringpose::tests
