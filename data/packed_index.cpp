#include "data/packed_index.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>

#include "data/error.hpp"
#include "data/image_codec.hpp"
#include "data/sha256.hpp"

namespace ringpose::data {
namespace {

// The digest is taken over the bytes in memory, which must therefore be those of the file.
static_assert(std::endian::native == std::endian::little,
              "packed files are read and written on little-endian machines");

void add_number(Sha256& hash, std::uint64_t value) {
  hash.update({reinterpret_cast<const std::uint8_t*>(&value), sizeof value});
}

/// Length first, so that two different sequences of arrays never give the same bytes.
template <typename T>
void add_array(Sha256& hash, const std::vector<T>& values) {
  add_number(hash, values.size());
  hash.update({reinterpret_cast<const std::uint8_t*>(values.data()), values.size() * sizeof(T)});
}

void add_texts(Sha256& hash, const std::vector<std::string>& texts) {
  add_number(hash, texts.size());
  for (const std::string& text : texts) {
    add_number(hash, text.size());
    hash.update({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  }
}

void require(bool condition, const std::string& fault) {
  if (!condition) throw FormatError(fault);
}

void check_sample(const PackedIndex& index, std::size_t row, std::uint64_t blob_bytes) {
  const std::string sample = "sample " + std::to_string(row);
  constexpr std::uint32_t kLargestSide = 1U << 20;
  require(index.offset[row] <= blob_bytes && index.nbytes[row] <= blob_bytes - index.offset[row],
          sample + " lies outside the pixel data");
  require(index.codec[row] <= static_cast<std::uint8_t>(Codec::kPng), sample + " has an unknown codec");
  require(index.height[row] >= 1 && index.width[row] >= 1 && index.height[row] <= kLargestSide &&
              index.width[row] <= kLargestSide && index.channels[row] == 3,
          sample + " has an impossible image size");
  require(index.codec[row] != static_cast<std::uint8_t>(Codec::kRaw) ||
              index.nbytes[row] == std::uint64_t{3} * index.height[row] * index.width[row],
          sample + " has a length that contradicts its image size");
  require(index.video_id[row] >= 0 && static_cast<std::size_t>(index.video_id[row]) < index.video_name.size(),
          sample + " names an unknown video");
}

void check_labels(const PackedIndex& index) {
  for (std::size_t i = 0; i < index.visibility_NK.size(); ++i) {
    const bool labelled = std::isfinite(index.xy_NK2[2 * i]) && std::isfinite(index.xy_NK2[2 * i + 1]);
    require(index.visibility_NK[i] <= 2 && labelled == (index.visibility_NK[i] != 0),
            "label positions and visibility disagree");
  }
  for (const auto& link : index.project.skeleton.links)
    for (const int part : link)
      require(part >= 0 && part < index.project.skeleton.size(), "the skeleton names an unknown bodypart");
}

void check_split(const PackedIndex& index) {
  std::vector<std::int64_t> rows = index.split.train;
  rows.insert(rows.end(), index.split.test.begin(), index.split.test.end());
  std::sort(rows.begin(), rows.end());
  require(!index.split.train.empty(), "the split has no training row");
  require(rows.front() >= 0 && rows.back() < static_cast<std::int64_t>(index.size()),
          "the split names a row that does not exist");
  require(std::adjacent_find(rows.begin(), rows.end()) == rows.end(), "the split names a row twice");
}

}  // namespace

std::string content_digest(const PackedIndex& index) {
  Sha256 hash;
  add_array(hash, index.offset);
  add_array(hash, index.nbytes);
  add_array(hash, index.codec);
  add_array(hash, index.height);
  add_array(hash, index.width);
  add_array(hash, index.channels);
  add_array(hash, index.crc32c);
  add_array(hash, index.xy_NK2);
  add_array(hash, index.visibility_NK);
  add_array(hash, index.video_id);
  add_texts(hash, index.image_name);
  add_array(hash, index.frame_index);
  add_array(hash, index.src_sha256_N32);
  add_texts(hash, index.video_name);
  add_array(hash, index.video_height);
  add_array(hash, index.video_width);
  add_texts(hash, index.project.skeleton.bodyparts);
  add_array(hash, index.project.skeleton.links);
  add_array(hash, index.split.train);
  add_array(hash, index.split.test);
  return to_hex(hash.finish());
}

void check_index(const PackedIndex& index, std::uint64_t blob_bytes) {
  require(index.size() >= 1, "the file has no sample");
  require(index.project.skeleton.size() >= 1, "the file has no bodypart");
  for (std::size_t row = 0; row < index.size(); ++row) check_sample(index, row, blob_bytes);
  check_labels(index);
  check_split(index);
}

}  // namespace ringpose::data
