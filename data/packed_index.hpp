// Everything of a packed frame file but the pixels, as the writer gets it and the reader holds it.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "data/project_facts.hpp"
#include "data/split.hpp"

namespace ringpose::data {

/// Arrays over N samples, K keypoints and V videos; FORMAT.md tells the meaning of each. One individual.
struct PackedIndex {
  std::vector<std::uint64_t> offset;
  std::vector<std::uint64_t> nbytes;
  std::vector<std::uint8_t> codec;
  std::vector<std::uint32_t> height;
  std::vector<std::uint32_t> width;
  std::vector<std::uint8_t> channels;
  std::vector<std::uint32_t> crc32c;
  std::vector<double> xy_NK2;
  std::vector<std::uint8_t> visibility_NK;
  std::vector<std::int32_t> video_id;
  std::vector<std::string> image_name;
  std::vector<std::int64_t> frame_index;
  std::vector<std::uint8_t> src_sha256_N32;
  std::vector<std::string> video_name;
  std::vector<std::int32_t> video_height;
  std::vector<std::int32_t> video_width;
  ProjectFacts project;
  Split split;

  [[nodiscard]] std::size_t size() const { return offset.size(); }
};

/// SHA-256 in hexadecimal digits over index, labels, names, skeleton, checksums and split, so over all that decides
/// what is learned; not over drawing options or provenance.
[[nodiscard]] std::string content_digest(const PackedIndex& index);

/// Checks that the arrays agree with each other and with a blob of `blob_bytes`. Throws FormatError telling the first
/// fault.
void check_index(const PackedIndex& index, std::uint64_t blob_bytes);

}  // namespace ringpose::data
