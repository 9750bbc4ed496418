#include "data/packed_file.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <utility>

#include "data/atomic_file.hpp"
#include "data/crc32c.hpp"
#include "data/error.hpp"
#include "data/hdf5_file.hpp"
#include "data/packed_format.hpp"
#include "data/sha256.hpp"

namespace ringpose::data {
namespace {

namespace fs = std::filesystem;
namespace format = packed_format;

constexpr char kNotPacked[] = "is not a packed frame file (expected one written by 'ringpose pack')";
constexpr char kWhatToDo[] = ". Copy the file again, or pack the project again.";

/// Tells a foreign file from a damaged one before HDF5 gives its own, longer answer.
void check_signature(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error))
    throw FormatError(path.string() + " is a folder: expected a file written by 'ringpose pack'.");
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw IoError(io_message("read", path, errno));
  constexpr std::array<char, 8> kSignature{'\x89', 'H', 'D', 'F', '\r', '\n', '\x1a', '\n'};
  std::array<char, 8> found{};
  stream.read(found.data(), found.size());
  if (stream.gcount() == 0)
    throw FormatError(path.string() + " is empty or not a file: expected one written by 'ringpose pack'.");
  if (found != kSignature) throw FormatError(path.string() + " " + kNotPacked + ": it is no HDF5 file.");
}

void check_version(const H5::Group& root, const fs::path& path) {
  if (!root.attrExists(format::kAttributeFormat) ||
      read_text_attribute(root, format::kAttributeFormat) != format::kFormat)
    throw FormatError(path.string() + " " + kNotPacked + ": it is some other HDF5 file.");
  const H5::Attribute attribute = root.openAttribute(format::kAttributeVersion);
  if (attribute.getTypeClass() != H5T_INTEGER || attribute.getSpace().getSimpleExtentNpoints() != 2)
    throw FormatError("attribute 'format_version' is malformed");
  std::array<std::int64_t, 2> version{};
  attribute.read(H5::PredType::NATIVE_INT64, version.data());
  if (version[0] != format::kMajorVersion)
    throw FormatError(path.string() + " has format version " + std::to_string(version[0]) + "." +
                      std::to_string(version[1]) + ", but this ringpose reads version " +
                      std::to_string(format::kMajorVersion) +
                      ": use a newer ringpose, or pack the project again with this one.");
  if (!root.attrExists(format::kAttributeComplete) || read_integer_attribute(root, format::kAttributeComplete) != 1)
    throw FormatError(path.string() + " is incomplete: its writing was interrupted. Pack the project again.");
}

std::string read_json(const H5::Group& group) {
  std::string json = read_text(group, format::kJson);
  const auto crc = crc32c({reinterpret_cast<const std::uint8_t*>(json.data()), json.size()});
  if (read_integer_attribute(group.openDataSet(format::kJson), format::kAttributeCrc) != std::int64_t{crc})
    throw FormatError("a JSON text has a wrong checksum");
  return json;
}

void read_frames(const H5::Group& group, hsize_t n, PackedIndex& index) {
  index.offset = read_array<std::uint64_t>(group, format::kOffset, {n});
  index.nbytes = read_array<std::uint64_t>(group, format::kBytes, {n});
  index.codec = read_array<std::uint8_t>(group, format::kCodec, {n});
  index.height = read_array<std::uint32_t>(group, format::kHeight, {n});
  index.width = read_array<std::uint32_t>(group, format::kWidth, {n});
  index.channels = read_array<std::uint8_t>(group, format::kChannels, {n});
  index.crc32c = read_array<std::uint32_t>(group, format::kCrc, {n});
}

void read_labels(const H5::Group& group, hsize_t n, hsize_t parts, PackedIndex& index) {
  index.xy_NK2 = read_array<double>(group, format::kPositions, {n, 1, parts, 2});
  index.visibility_NK = read_array<std::uint8_t>(group, format::kVisibility, {n, 1, parts});
  index.project.skeleton.bodyparts = read_texts(group, format::kBodyparts, parts);
  const auto links = read_array<std::int32_t>(group, format::kSkeleton, {kAnyLength, 2});
  for (std::size_t i = 0; i + 1 < links.size(); i += 2)
    index.project.skeleton.links.push_back({links[i], links[i + 1]});
}

void read_samples(const H5::Group& samples, const H5::Group& videos, hsize_t n, PackedIndex& index) {
  index.video_id = read_array<std::int32_t>(samples, format::kVideoId, {n});
  index.image_name = read_texts(samples, format::kImageName, n);
  index.frame_index = read_array<std::int64_t>(samples, format::kFrameIndex, {n});
  index.src_sha256_N32 = read_array<std::uint8_t>(samples, format::kSourceDigest, {n, Sha256::Digest().size()});
  index.video_name = read_texts(videos, format::kName, kAnyLength);
  index.video_height = read_array<std::int32_t>(videos, format::kHeight, {index.video_name.size()});
  index.video_width = read_array<std::int32_t>(videos, format::kWidth, {index.video_name.size()});
}

/// Checks that the pixels are one run of bytes inside the file; returns its start and length.
std::pair<std::uint64_t, std::uint64_t> locate_blob(const H5::Group& frames, std::uint64_t file_bytes) {
  const H5::DataSet blob = frames.openDataSet(format::kBlob);
  const H5D_layout_t layout = blob.getCreatePlist().getLayout();
  const haddr_t position = layout == H5D_CONTIGUOUS ? blob.getOffset() : HADDR_UNDEF;
  const auto bytes = static_cast<std::uint64_t>(blob.getSpace().getSimpleExtentNpoints());
  if (position == HADDR_UNDEF || blob.getDataType().getSize() != 1)
    throw FormatError(
        "the pixel data are not one contiguous run of bytes; HDF5 tools that rewrite files (h5repack) do that");
  if (position > file_bytes || bytes > file_bytes - position)
    throw FormatError("the pixel data end behind the end of the file");
  return {position, bytes};
}

PackedFile read_groups(const H5::H5File& file, const H5::Group& root) {
  PackedFile packed;
  const auto n = static_cast<hsize_t>(read_integer_attribute(root, format::kAttributeSamples));
  const auto parts = static_cast<hsize_t>(read_integer_attribute(root, format::kAttributeKeypoints));
  packed.index.project = project_facts_from_json(read_json(file.openGroup(format::kProject)));
  packed.provenance_json = read_json(file.openGroup(format::kProvenance));
  const H5::Group frames = file.openGroup(format::kFrames);
  read_frames(frames, n, packed.index);
  read_labels(file.openGroup(format::kLabels), n, parts, packed.index);
  read_samples(file.openGroup(format::kSamples), file.openGroup(format::kVideos), n, packed.index);
  const H5::Group split = file.openGroup(format::kSplits).openGroup(std::to_string(packed.index.project.shuffle));
  packed.index.split.train = read_array<std::int64_t>(split, format::kTrain, {kAnyLength});
  packed.index.split.test = read_array<std::int64_t>(split, format::kTest, {kAnyLength});
  const auto [position, bytes] = locate_blob(frames, file.getFileSize());
  packed.blob_position = position;
  check_index(packed.index, bytes);
  packed.content_digest = read_text_attribute(root, format::kAttributeDigest);
  if (packed.content_digest != content_digest(packed.index))
    throw FormatError("its index or labels do not match their digest");
  return packed;
}

}  // namespace

PackedFile read_packed_file(const fs::path& path) {
  check_signature(path);
  const Hdf5Silence silence;
  bool recognised = false;
  try {
    const H5::H5File file = open_hdf5_readonly(path);
    const H5::Group root = file.openGroup("/");
    check_version(root, path);
    recognised = true;
    return read_groups(file, root);
  } catch (const H5::Exception& error) {
    const std::string reason = silence.message().empty() ? error.getDetailMsg() : silence.message();
    throw FormatError(path.string() + " is truncated or damaged: HDF5 reports: " + reason + kWhatToDo);
  } catch (const FormatError& error) {
    if (!recognised) throw;
    throw FormatError(path.string() + " is damaged: " + error.what() + kWhatToDo);
  }
}

}  // namespace ringpose::data
