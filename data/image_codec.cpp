#include "data/image_codec.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <stdexcept>
#include <string_view>

#include "data/error.hpp"

namespace ringpose::data {
namespace {

constexpr std::array<std::uint8_t, 8> kPngStart{0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
constexpr std::array<std::uint8_t, 3> kJpegStart{0xff, 0xd8, 0xff};
constexpr std::array<std::uint8_t, 2> kJpegEnd{0xff, 0xd9};
constexpr std::string_view kJpegPrefix = "jpeg:";

bool starts_with(std::span<const std::uint8_t> bytes, std::span<const std::uint8_t> start) {
  return bytes.size() >= start.size() && std::equal(start.begin(), start.end(), bytes.begin());
}

/// libjpeg fills what is missing with grey and only warns. Some cameras write a few bytes behind the end marker.
bool jpeg_is_cut(std::span<const std::uint8_t> bytes) {
  constexpr std::size_t kTailBytes = 4096;
  const auto tail = bytes.subspan(bytes.size() - std::min(bytes.size(), kTailBytes));
  return std::search(tail.begin(), tail.end(), kJpegEnd.begin(), kJpegEnd.end()) == tail.end();
}

}  // namespace

CodecPolicy parse_codec_policy(const std::string& text) {
  if (text == "passthrough") return {CodecPolicy::Kind::kPassthrough};
  if (text == "raw") return {CodecPolicy::Kind::kRaw};
  int quality = 0;
  if (text.starts_with(kJpegPrefix)) {
    const char* const end = text.data() + text.size();
    const auto result = std::from_chars(text.data() + kJpegPrefix.size(), end, quality);
    if (result.ec == std::errc() && result.ptr == end && quality >= 1 && quality <= 100)
      return {CodecPolicy::Kind::kJpeg, quality};
  }
  throw ConfigError("codec '" + text +
                    "' is unknown, expected passthrough, raw, or jpeg:Q with a quality Q from 1 to 100.");
}

std::string codec_policy_text(const CodecPolicy& policy) {
  switch (policy.kind) {
    case CodecPolicy::Kind::kPassthrough:
      return "passthrough";
    case CodecPolicy::Kind::kRaw:
      return "raw";
    case CodecPolicy::Kind::kJpeg:
      break;
  }
  return std::string(kJpegPrefix) + std::to_string(policy.jpeg_quality);
}

std::optional<Codec> detect_codec(std::span<const std::uint8_t> bytes) {
  if (starts_with(bytes, kPngStart)) return Codec::kPng;
  if (starts_with(bytes, kJpegStart)) return Codec::kJpeg;
  return std::nullopt;
}

std::optional<Image> decode_image(std::span<const std::uint8_t> bytes) {
  if (bytes.empty() || (starts_with(bytes, kJpegStart) && jpeg_is_cut(bytes))) return std::nullopt;
  // OpenCV only reads through this view, but has no const one.
  const cv::Mat encoded(1, static_cast<int>(bytes.size()), CV_8UC1, const_cast<std::uint8_t*>(bytes.data()));
  cv::Mat bgr;
  try {
    bgr = cv::imdecode(encoded, cv::IMREAD_COLOR);
  } catch (const cv::Exception&) {
    return std::nullopt;
  }
  if (bgr.empty()) return std::nullopt;
  Image image{bgr.rows, bgr.cols, 3, std::vector<std::uint8_t>(bgr.total() * 3)};
  cv::Mat rgb(bgr.rows, bgr.cols, CV_8UC3, image.pixels_HWC.data());
  cv::cvtColor(bgr, rgb, cv::COLOR_BGR2RGB);
  return image;
}

std::vector<std::uint8_t> encode_jpeg(const Image& image, int quality) {
  const cv::Mat rgb(image.height_px, image.width_px, CV_8UC3, const_cast<std::uint8_t*>(image.pixels_HWC.data()));
  cv::Mat bgr;
  cv::cvtColor(rgb, bgr, cv::COLOR_RGB2BGR);
  std::vector<std::uint8_t> bytes;
  if (!cv::imencode(".jpg", bgr, bytes, {cv::IMWRITE_JPEG_QUALITY, quality}))
    throw std::runtime_error("OpenCV cannot encode JPEG.");
  return bytes;
}

}  // namespace ringpose::data
