// Reads a whole file.
#pragma once
#include <cstdint>
#include <filesystem>
#include <vector>

namespace ringpose::data {

/// All bytes of a file. Throws IoError (missing, a folder, unreadable).
[[nodiscard]] std::vector<std::uint8_t> read_file_bytes(const std::filesystem::path& path);

}  // namespace ringpose::data
