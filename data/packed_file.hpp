// Reads and checks all of a packed frame file but its pixels.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

#include "data/packed_index.hpp"

namespace ringpose::data {

/// What opening a packed file yields.
struct PackedFile {
  PackedIndex index;
  std::uint64_t blob_position = 0;  ///< where the pixel data start, in bytes from the start of the file
  std::string content_digest;
  std::string provenance_json;
};

/// Opens, reads, checks and closes the file. Throws FormatError (not a packed file, truncated, writing was interrupted,
/// newer major version, damaged) or IoError (cannot be opened). Calls HDF5: one thread at a time.
[[nodiscard]] PackedFile read_packed_file(const std::filesystem::path& path);

}  // namespace ringpose::data
