// Encoded image bytes to RGB pixels and back.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/sample.hpp"

namespace ringpose::data {

/// How one packed image is stored. The numbers are part of the packed format.
enum class Codec : std::uint8_t {
  kRaw = 0,   ///< height * width * 3 bytes, RGB
  kJpeg = 1,  ///< a JPEG file
  kPng = 2,   ///< a PNG file
};

/// What to store for each image of a project.
struct CodecPolicy {
  enum class Kind {
    kPassthrough,  ///< the bytes of a PNG or JPEG file as they are; other formats become raw pixels. Lossless, smallest
                   ///< effort.
    kRaw,          ///< decoded pixels: largest file, fastest to read
    kJpeg,         ///< re-encoded JPEG: smallest file, lossy
  };
  Kind kind = Kind::kPassthrough;
  int jpeg_quality = 95;  ///< 1..100, kJpeg only
};

/// Reads `passthrough`, `raw` or `jpeg:Q` with Q from 1 to 100. Throws ConfigError.
[[nodiscard]] CodecPolicy parse_codec_policy(const std::string& text);
/// The text that parse_codec_policy() reads.
[[nodiscard]] std::string codec_policy_text(const CodecPolicy& policy);

/// Format of an image file, told by its first bytes; absent when it is neither PNG nor JPEG.
[[nodiscard]] std::optional<Codec> detect_codec(std::span<const std::uint8_t> bytes);

/// Decodes an image file as DeepLabCut does (cv::imread in colour, then RGB): 8 bits, grey becomes three equal
/// channels, alpha is dropped, JPEG orientation tags are obeyed. Absent when OpenCV cannot decode it, or when a JPEG
/// was cut off.
[[nodiscard]] std::optional<Image> decode_image(std::span<const std::uint8_t> bytes);

/// JPEG bytes of an RGB image. `quality` from 1 to 100.
[[nodiscard]] std::vector<std::uint8_t> encode_jpeg(const Image& image, int quality);

}  // namespace ringpose::data
