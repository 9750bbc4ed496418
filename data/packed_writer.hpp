// Writes a packed frame file (FORMAT.md): pixels first, then the index, the mark of completeness last.
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "data/packed_index.hpp"

namespace ringpose::data {

/// The file appears under its name only when finish() has returned; destroyed before that, nothing is left behind.
/// Calls HDF5: one thread at a time.
class PackedWriter {
 public:
  /// Reserves `blob_bytes` of disk space for the pixels. Throws IoError (folder missing, read-only, disk full).
  PackedWriter(const std::filesystem::path& path, std::uint64_t blob_bytes);
  ~PackedWriter();
  PackedWriter(const PackedWriter&) = delete;
  PackedWriter& operator=(const PackedWriter&) = delete;

  /// Writes a sample's bytes at `offset` of the pixel data. Throws IoError.
  void write_sample(std::uint64_t offset, std::span<const std::uint8_t> bytes);
  /// Writes index and provenance, reads the whole file back and checks it, and gives it its name. `codec_default` is
  /// the text of the codec policy, `provenance_json` any JSON text. Throws IoError; FormatError when what was read back
  /// is not what was meant.
  void finish(const PackedIndex& index, const std::string& codec_default, const std::string& provenance_json);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// `bytes` rounded up to the alignment of samples in the pixel data.
[[nodiscard]] std::uint64_t aligned_sample_bytes(std::uint64_t bytes);

}  // namespace ringpose::data
