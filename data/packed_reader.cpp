#include "data/packed_reader.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cassert>
#include <cerrno>
#include <utility>

#include "data/atomic_file.hpp"
#include "data/crc32c.hpp"
#include "data/error.hpp"
#include "data/image_codec.hpp"
#include "data/packed_file.hpp"

namespace ringpose::data {
namespace {

namespace fs = std::filesystem;

/// A file descriptor that is closed with its owner.
class Descriptor {
 public:
  explicit Descriptor(const fs::path& path) : value_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (value_ < 0) throw IoError(io_message("read", path, errno));
  }
  ~Descriptor() { ::close(value_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const { return value_; }

 private:
  int value_;
};

}  // namespace

struct PackedReader::Impl {
  fs::path path;
  Descriptor descriptor;
  PackedFile file;
  std::unique_ptr<std::atomic<bool>[]> checked;  ///< samples whose checksum was found right

  explicit Impl(const fs::path& file_path)
      : path(file_path),
        descriptor(file_path),
        file(read_packed_file(file_path)),
        checked(new std::atomic<bool>[file.index.size()]()) {}

  [[nodiscard]] std::size_t checked_row(std::int64_t row) const {
    if (row < 0 || row >= static_cast<std::int64_t>(file.index.size()))
      throw FormatError("sample " + std::to_string(row) + " does not exist in " + path.string() +
                        ", which holds samples 0 to " + std::to_string(file.index.size() - 1) + ".");
    return static_cast<std::size_t>(row);
  }

  [[noreturn]] void throw_damaged(std::size_t row, const std::string& fault) const {
    throw FormatError(path.string() + " is damaged: sample " + std::to_string(row) + " (" + file.index.image_name[row] +
                      ") " + fault + ". Copy the file again, or pack the project again.");
  }

  [[nodiscard]] std::vector<std::uint8_t> read_bytes(std::size_t row) const {
    std::vector<std::uint8_t> bytes(file.index.nbytes[row]);
    std::size_t done = 0;
    while (done < bytes.size()) {
      const auto position = static_cast<off_t>(file.blob_position + file.index.offset[row] + done);
      const ssize_t count = ::pread(descriptor.get(), bytes.data() + done, bytes.size() - done, position);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) throw IoError(io_message("read", path, errno));
      if (count == 0) throw_damaged(row, "ends early");
      done += static_cast<std::size_t>(count);
    }
    if (!checked[row].load(std::memory_order_relaxed)) {
      if (crc32c(bytes) != file.index.crc32c[row]) throw_damaged(row, "has a wrong checksum");
      checked[row].store(true, std::memory_order_relaxed);
    }
    return bytes;
  }

  [[nodiscard]] Image decode(std::size_t row, std::vector<std::uint8_t> bytes) const {
    const int height = static_cast<int>(file.index.height[row]);
    const int width = static_cast<int>(file.index.width[row]);
    if (file.index.codec[row] == static_cast<std::uint8_t>(Codec::kRaw)) return {height, width, 3, std::move(bytes)};
    auto image = decode_image(bytes);
    if (!image || image->height_px != height || image->width_px != width) throw_damaged(row, "cannot be decoded");
    return std::move(*image);
  }
};

PackedReader::PackedReader(const fs::path& path) : impl_(std::make_unique<Impl>(path)) {}
PackedReader::~PackedReader() = default;
PackedReader::PackedReader(PackedReader&&) noexcept = default;
PackedReader& PackedReader::operator=(PackedReader&&) noexcept = default;

std::int64_t PackedReader::size() const {
  return static_cast<std::int64_t>(impl_->file.index.size());
}
const ProjectFacts& PackedReader::project() const {
  return impl_->file.index.project;
}
const Split& PackedReader::split() const {
  return impl_->file.index.split;
}
const std::string& PackedReader::content_digest() const {
  return impl_->file.content_digest;
}
const PackedIndex& PackedReader::index() const {
  return impl_->file.index;
}
const std::string& PackedReader::provenance_json() const {
  return impl_->file.provenance_json;
}

int PackedReader::height_px(std::int64_t row) const {
  return static_cast<int>(impl_->file.index.height[impl_->checked_row(row)]);
}
int PackedReader::width_px(std::int64_t row) const {
  return static_cast<int>(impl_->file.index.width[impl_->checked_row(row)]);
}
const std::string& PackedReader::image_name(std::int64_t row) const {
  return impl_->file.index.image_name[impl_->checked_row(row)];
}

std::vector<Keypoint> PackedReader::keypoints(std::int64_t row) const {
  const auto parts = static_cast<std::size_t>(project().skeleton.size());
  const double* const xy = impl_->file.index.xy_NK2.data() + 2 * parts * impl_->checked_row(row);
  std::vector<Keypoint> keypoints(parts);
  for (std::size_t part = 0; part < parts; ++part) keypoints[part] = {xy[2 * part], xy[2 * part + 1]};
  return keypoints;
}

Sample PackedReader::read_sample(std::int64_t row) const {
  const std::size_t checked = impl_->checked_row(row);
  return {impl_->decode(checked, impl_->read_bytes(checked)), keypoints(row)};
}

void PackedReader::verify() const {
  for (std::size_t row = 0; row < impl_->file.index.size(); ++row) static_cast<void>(impl_->read_bytes(row));
}

}  // namespace ringpose::data
