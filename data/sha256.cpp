#include "data/sha256.hpp"

#include <openssl/evp.h>

#include <stdexcept>

namespace ringpose::data {
namespace {

void check_openssl(bool succeeded, const char* call) {
  if (!succeeded) throw std::runtime_error(std::string(call) + " of OpenSSL failed.");
}

}  // namespace

struct Sha256::Context {
  Context() { check_openssl(handle != nullptr, "EVP_MD_CTX_new"); }
  ~Context() { EVP_MD_CTX_free(handle); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  EVP_MD_CTX* handle = EVP_MD_CTX_new();
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {
  check_openssl(EVP_DigestInit_ex(context_->handle, EVP_sha256(), nullptr) == 1, "EVP_DigestInit_ex");
}

Sha256::~Sha256() = default;

void Sha256::update(std::span<const std::uint8_t> bytes) {
  check_openssl(EVP_DigestUpdate(context_->handle, bytes.data(), bytes.size()) == 1, "EVP_DigestUpdate");
}

Sha256::Digest Sha256::finish() {
  Digest digest{};
  check_openssl(EVP_DigestFinal_ex(context_->handle, digest.data(), nullptr) == 1, "EVP_DigestFinal_ex");
  return digest;
}

Sha256::Digest sha256(std::span<const std::uint8_t> bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.finish();
}

std::string to_hex(std::span<const std::uint8_t> bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const std::uint8_t byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace ringpose::data
