// Known answers for the checksums of the packed format.
#include <gtest/gtest.h>

#include <numeric>
#include <string_view>
#include <vector>

#include "data/crc32c.hpp"
#include "data/sha256.hpp"

namespace ringpose::data {
namespace {

std::span<const std::uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

TEST(Crc32c, EqualsTheExamplesOfRfc3720) {
  EXPECT_EQ(crc32c(std::vector<std::uint8_t>(32, 0x00)), 0x8A9136AAU);
  EXPECT_EQ(crc32c(std::vector<std::uint8_t>(32, 0xFF)), 0x62A8AB43U);
  std::vector<std::uint8_t> rising(32);
  std::iota(rising.begin(), rising.end(), std::uint8_t{0});
  EXPECT_EQ(crc32c(rising), 0x46DD794EU);
  EXPECT_EQ(crc32c(std::vector<std::uint8_t>(rising.rbegin(), rising.rend())), 0x113FDB5CU);
  EXPECT_EQ(crc32c(bytes_of("123456789")), 0xE3069283U);  // the usual check value; 9 bytes: one slice and a tail
  EXPECT_EQ(crc32c({}), 0U);
}

TEST(Sha256, EqualsTheExamplesOfFips180) {
  EXPECT_EQ(to_hex(sha256(bytes_of("abc"))), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(to_hex(sha256(bytes_of(""))), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(to_hex(sha256(bytes_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"))),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(Sha256, DoesNotDependOnHowTheBytesAreCut) {
  const std::string million(1000000, 'a');
  Sha256 hash;
  for (std::size_t start = 0; start < million.size(); start += 777)
    hash.update(bytes_of(std::string_view(million).substr(start, 777)));
  EXPECT_EQ(to_hex(hash.finish()), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

}  // namespace
}  // namespace ringpose::data
