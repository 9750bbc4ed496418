#include "trainer/file_digest.hpp"

#include <cerrno>
#include <cstdint>
#include <fstream>
#include <span>
#include <vector>

#include "data/atomic_file.hpp"
#include "data/error.hpp"
#include "data/sha256.hpp"

namespace ringpose::trainer {

std::string sha256_of_file(const std::filesystem::path& path) {
  constexpr std::size_t kBlockBytes = std::size_t{1} << 20;
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw data::IoError(data::io_message("read", path, errno));
  data::Sha256 hash;
  std::vector<std::uint8_t> block(kBlockBytes);
  while (file) {
    file.read(reinterpret_cast<char*>(block.data()), static_cast<std::streamsize>(block.size()));
    hash.update(std::span(block).first(static_cast<std::size_t>(file.gcount())));
  }
  if (file.bad()) throw data::IoError(data::io_message("read", path, errno));
  return data::to_hex(hash.finish());
}

}  // namespace ringpose::trainer
