#include "trainer/file_digest.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <vector>

#include "data/atomic_file.hpp"
#include "data/error.hpp"

namespace ringpose::trainer {

namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 20;

struct FreeDigest {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

void check_openssl(int code, const char* call) {
  if (code != 1) throw std::runtime_error(fmt::format("{} of OpenSSL failed.", call));
}

}  // namespace

std::string sha256_of_file(const std::filesystem::path& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw data::IoError(data::io_message("read", path, errno));
  const std::unique_ptr<EVP_MD_CTX, FreeDigest> context(EVP_MD_CTX_new());
  check_openssl(EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr), "EVP_DigestInit_ex");
  std::vector<char> block(kBlockBytes);
  while (file) {
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    check_openssl(EVP_DigestUpdate(context.get(), block.data(), static_cast<std::size_t>(file.gcount())),
                  "EVP_DigestUpdate");
  }
  if (file.bad()) throw data::IoError(data::io_message("read", path, errno));
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  check_openssl(EVP_DigestFinal_ex(context.get(), digest.data(), &length), "EVP_DigestFinal_ex");
  std::string hex;
  for (unsigned int i = 0; i < length; ++i) hex += fmt::format("{:02x}", digest[i]);
  return hex;
}

}  // namespace ringpose::trainer
