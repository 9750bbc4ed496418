#include "data/packed_writer.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <random>

#include "data/atomic_file.hpp"
#include "data/crc32c.hpp"
#include "data/error.hpp"
#include "data/hdf5_file.hpp"
#include "data/packed_format.hpp"
#include "data/packed_reader.hpp"
#include "data/sha256.hpp"

namespace ringpose::data {
namespace {

namespace fs = std::filesystem;
namespace format = packed_format;

constexpr std::uint64_t kIndexReserveBytes = std::uint64_t{1} << 20;

/// Takes the disk space now, so that a full disk is told at once and before HDF5 holds unwritten data it could never
/// close.
void reserve_space(const AtomicFile& file, std::uint64_t bytes) {
  const int descriptor = ::open(file.temporary_path().c_str(), O_WRONLY | O_CLOEXEC);
  const int result = descriptor < 0 ? -1 : ::fallocate(descriptor, 0, 0, static_cast<off_t>(bytes));
  const int error_number = result == 0 ? 0 : errno;
  if (descriptor >= 0) ::close(descriptor);
  if (error_number != 0 && error_number != EOPNOTSUPP && error_number != ENOSYS)
    throw IoError(io_message("write " + std::to_string((bytes >> 20) + 1) + " MiB to", file.path(), error_number));
}

/// HDF5 tells the operating system's error number only inside its message.
IoError write_error(const fs::path& path, const std::string& message) {
  constexpr std::string_view kMark = "errno = ";
  if (const auto mark = message.find(kMark); mark != std::string::npos)
    return IoError(io_message("write", path, std::atoi(message.c_str() + mark + kMark.size())));
  return IoError("cannot write " + path.string() + ": HDF5 reports: " + message);
}

/// A version 4 UUID: tells two packings of the same data apart.
std::string random_uuid() {
  std::random_device device;
  std::array<std::uint8_t, 16> bytes{};
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(device());
  bytes[6] = static_cast<std::uint8_t>((bytes[6] & 0x0f) | 0x40);
  bytes[8] = static_cast<std::uint8_t>((bytes[8] & 0x3f) | 0x80);
  std::string text = to_hex(bytes);
  for (const std::size_t dash : {20U, 16U, 12U, 8U}) text.insert(dash, 1, '-');
  return text;
}

template <typename T>
void write_values(H5::Group& group, const char* name, const std::vector<T>& values, std::vector<hsize_t> shape) {
  write_array<T>(group, name, std::span<const T>(values), std::move(shape));
}

void write_json(H5::Group group, const std::string& json) {
  H5::DataSet dataset = write_text(group, format::kJson, json);
  write_attribute(dataset, format::kAttributeCrc,
                  std::int64_t{crc32c({reinterpret_cast<const std::uint8_t*>(json.data()), json.size()})});
}

}  // namespace

struct PackedWriter::Impl {
  Hdf5Silence silence;
  AtomicFile output;
  std::optional<H5::H5File> file;
  H5::Group frames;
  H5::DataSet blob;

  explicit Impl(const fs::path& path) : output(path) {}

  /// Runs HDF5 calls; their failure becomes an IoError.
  template <typename Calls>
  void guarded(Calls calls) {
    try {
      calls();
    } catch (const H5::Exception& error) {
      throw write_error(output.path(), silence.message().empty() ? error.getDetailMsg() : silence.message());
    }
  }

  void create(std::uint64_t blob_bytes) {
    file.emplace(create_hdf5(output.temporary_path(), format::kBlobAlignmentBytes));
    reserve_space(output, blob_bytes + kIndexReserveBytes);  // creating the file gave the first reservation back
    frames = file->createGroup(format::kFrames);
    H5::DSetCreatPropList layout;
    layout.setLayout(H5D_CONTIGUOUS);
    layout.setAllocTime(H5D_ALLOC_TIME_EARLY);
    layout.setFillTime(H5D_FILL_TIME_NEVER);
    H5Pset_obj_track_times(layout.getId(), false);
    const hsize_t length = blob_bytes;
    blob = frames.createDataSet(format::kBlob, hdf5_type<std::uint8_t>(), H5::DataSpace(1, &length), layout);
  }

  void write_frames(const PackedIndex& index) {
    const hsize_t n = index.size();
    write_values(frames, format::kOffset, index.offset, {n});
    write_values(frames, format::kBytes, index.nbytes, {n});
    write_values(frames, format::kCodec, index.codec, {n});
    write_values(frames, format::kHeight, index.height, {n});
    write_values(frames, format::kWidth, index.width, {n});
    write_values(frames, format::kChannels, index.channels, {n});
    write_values(frames, format::kCrc, index.crc32c, {n});
  }

  void write_labels(const PackedIndex& index) {
    const hsize_t n = index.size();
    const Skeleton& skeleton = index.project.skeleton;
    const hsize_t parts = skeleton.bodyparts.size();
    H5::Group labels = file->createGroup(format::kLabels);
    write_values(labels, format::kPositions, index.xy_NK2, {n, 1, parts, 2});
    write_values(labels, format::kVisibility, index.visibility_NK, {n, 1, parts});
    write_texts(labels, format::kIndividualNames, {"animal"});
    write_texts(labels, format::kBodyparts, skeleton.bodyparts);
    std::vector<std::int32_t> links;
    for (const auto& link : skeleton.links) links.insert(links.end(), link.begin(), link.end());
    write_values(labels, format::kSkeleton, links, {skeleton.links.size(), 2});
  }

  void write_samples(const PackedIndex& index) {
    const hsize_t n = index.size();
    H5::Group samples = file->createGroup(format::kSamples);
    write_values(samples, format::kVideoId, index.video_id, {n});
    write_texts(samples, format::kImageName, index.image_name);
    write_values(samples, format::kFrameIndex, index.frame_index, {n});
    write_values(samples, format::kSourceDigest, index.src_sha256_N32, {n, Sha256::Digest().size()});
    H5::Group videos = file->createGroup(format::kVideos);
    write_texts(videos, format::kName, index.video_name);
    write_values(videos, format::kHeight, index.video_height, {index.video_name.size()});
    write_values(videos, format::kWidth, index.video_width, {index.video_name.size()});
  }

  void write_split(const PackedIndex& index) {
    H5::Group group = file->createGroup(format::kSplits).createGroup(std::to_string(index.project.shuffle));
    write_values(group, format::kTrain, index.split.train, {index.split.train.size()});
    write_values(group, format::kTest, index.split.test, {index.split.test.size()});
  }

  void write_root(const PackedIndex& index, const std::string& codec_default) {
    H5::Group root = file->openGroup("/");
    write_attribute(root, format::kAttributeFormat, std::string(format::kFormat));
    const hsize_t two = 2;
    const std::array<std::int64_t, 2> version{format::kMajorVersion, format::kMinorVersion};
    root.createAttribute(format::kAttributeVersion, H5::PredType::STD_I64LE, H5::DataSpace(1, &two))
        .write(H5::PredType::NATIVE_INT64, version.data());
    write_attribute(root, format::kAttributeSamples, static_cast<std::int64_t>(index.size()));
    write_attribute(root, format::kAttributeKeypoints, std::int64_t{index.project.skeleton.size()});
    write_attribute(root, format::kAttributeIndividuals, std::int64_t{1});
    write_attribute(root, format::kAttributeChannelOrder, std::string("RGB"));
    write_attribute(root, format::kAttributeCodec, codec_default);
    write_attribute(root, format::kAttributeDatasetId, random_uuid());
    write_attribute(root, format::kAttributeDigest, content_digest(index));
  }

  /// The mark goes into a file that is otherwise on disk, then the file is closed.
  void complete() {
    file->flush(H5F_SCOPE_GLOBAL);
    H5::Group root = file->openGroup("/");
    write_attribute(root, format::kAttributeComplete, std::int64_t{1});
    root.close();
    blob.close();
    frames.close();
    file->close();
    file.reset();
  }
};

PackedWriter::PackedWriter(const fs::path& path, std::uint64_t blob_bytes) : impl_(std::make_unique<Impl>(path)) {
  reserve_space(impl_->output, blob_bytes + kIndexReserveBytes);
  impl_->guarded([&] { impl_->create(blob_bytes); });
}

PackedWriter::~PackedWriter() = default;

void PackedWriter::write_sample(std::uint64_t offset, std::span<const std::uint8_t> bytes) {
  impl_->guarded([&] {
    const hsize_t start = offset;
    const hsize_t count = bytes.size();
    H5::DataSpace file_space = impl_->blob.getSpace();
    file_space.selectHyperslab(H5S_SELECT_SET, &count, &start);
    impl_->blob.write(bytes.data(), hdf5_type<std::uint8_t>(), H5::DataSpace(1, &count), file_space);
  });
}

void PackedWriter::finish(const PackedIndex& index, const std::string& codec_default,
                          const std::string& provenance_json) {
  impl_->guarded([&] {
    impl_->write_frames(index);
    impl_->write_labels(index);
    impl_->write_samples(index);
    impl_->write_split(index);
    write_json(impl_->file->createGroup(format::kProject), project_facts_to_json(index.project));
    write_json(impl_->file->createGroup(format::kProvenance), provenance_json);
    impl_->write_root(index, codec_default);
    impl_->complete();
  });
  PackedReader(impl_->output.temporary_path()).verify();
  impl_->output.commit();
}

std::uint64_t aligned_sample_bytes(std::uint64_t bytes) {
  constexpr std::uint64_t kAlignment = format::kSampleAlignmentBytes;
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace ringpose::data
