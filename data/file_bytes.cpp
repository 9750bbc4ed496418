#include "data/file_bytes.hpp"

#include <cerrno>
#include <cstdio>
#include <memory>

#include "data/atomic_file.hpp"
#include "data/error.hpp"

namespace ringpose::data {

std::vector<std::uint8_t> read_file_bytes(const std::filesystem::path& path) {
  const auto close = [](std::FILE* file) { std::fclose(file); };
  const std::unique_ptr<std::FILE, decltype(close)> file(std::fopen(path.c_str(), "rb"), close);
  if (!file) throw IoError(io_message("read", path, errno));
  constexpr std::size_t kStepBytes = std::size_t{1} << 18;
  std::vector<std::uint8_t> bytes;
  std::size_t done = 0;
  do {
    bytes.resize(done + kStepBytes);
    done += std::fread(bytes.data() + done, 1, kStepBytes, file.get());
  } while (done == bytes.size());
  if (std::ferror(file.get()) != 0) throw IoError(io_message("read", path, errno));
  bytes.resize(done);
  return bytes;
}

}  // namespace ringpose::data
