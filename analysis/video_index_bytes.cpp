#include <cstring>
#include <type_traits>

#include "analysis/video_index.hpp"
#include "data/error.hpp"

namespace ringpose::analysis {
namespace {

constexpr char kMagic[] = "ringpose video index 1";

class ByteWriter {
 public:
  template <typename T>
  requires std::is_trivially_copyable_v<T>
  void value(const T& item) { bytes.append(reinterpret_cast<const char*>(&item), sizeof item); }
  void text(const std::string& item) {
    value(static_cast<std::uint64_t>(item.size()));
    bytes += item;
  }
  std::string bytes;
};

class ByteReader {
 public:
  explicit ByteReader(const std::string& bytes) : bytes_(bytes) {}
  template <typename T>
  requires std::is_trivially_copyable_v<T> T value() {
    T item;
    std::memcpy(&item, take(sizeof item), sizeof item);
    return item;
  }
  std::string text() {
    const auto size = value<std::uint64_t>();
    return {take(size), size};
  }
  [[nodiscard]] std::size_t left() const { return bytes_.size() - place_; }

 private:
  const char* take(std::size_t size) {
    if (size > left()) throw data::FormatError("a video index sent between ranks is cut off");
    place_ += size;
    return bytes_.data() + place_ - size;
  }
  const std::string& bytes_;
  std::size_t place_ = 0;
};

}  // namespace

std::string serialize_index(const VideoIndex& index) {
  ByteWriter writer;
  writer.text(kMagic);
  writer.value(index.width_px);
  writer.value(index.height_px);
  writer.value(index.fps);
  writer.text(index.codec);
  writer.text(index.pixel_format);
  writer.value(index.stream);
  writer.value(index.rotation_degrees);
  writer.value(index.packets);
  writer.value(index.timestamps);
  writer.value(static_cast<std::uint64_t>(index.frames.size()));
  for (const FrameEntry& frame : index.frames) {
    writer.value(frame.pts);
    writer.value(frame.ordinal);
    writer.value(frame.key);
  }
  return std::move(writer.bytes);
}

VideoIndex deserialize_index(const std::string& bytes) {
  ByteReader reader(bytes);
  if (reader.text() != kMagic) throw data::FormatError("bytes received from another rank are not a video index");
  VideoIndex index;
  index.width_px = reader.value<int>();
  index.height_px = reader.value<int>();
  index.fps = reader.value<double>();
  index.codec = reader.text();
  index.pixel_format = reader.text();
  index.stream = reader.value<int>();
  index.rotation_degrees = reader.value<int>();
  index.packets = reader.value<std::int64_t>();
  index.timestamps = reader.value<bool>();
  const auto count = reader.value<std::uint64_t>();
  if (count > reader.left()) throw data::FormatError("a video index sent between ranks is cut off");
  index.frames.resize(count);
  for (FrameEntry& frame : index.frames) {
    frame.pts = reader.value<std::int64_t>();
    frame.ordinal = reader.value<std::int64_t>();
    frame.key = reader.value<bool>();
  }
  return index;
}

}  // namespace ringpose::analysis
