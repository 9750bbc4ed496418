// The checksum of a file, to compare with the one its publisher names.
#pragma once
#include <filesystem>
#include <string>

namespace ringpose::trainer {

/// SHA-256 of the whole file as 64 lower-case hex digits. Throws data::IoError.
[[nodiscard]] std::string sha256_of_file(const std::filesystem::path& path);

}  // namespace ringpose::trainer
