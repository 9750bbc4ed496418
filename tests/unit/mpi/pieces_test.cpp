#include <gtest/gtest.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "mpi/pieces.hpp"

namespace {

using Pieces = std::vector<std::pair<std::size_t, int>>;

Pieces pieces(std::size_t count, std::size_t limit) {
  Pieces result;
  ringpose::mpi::for_each_piece(count, limit,
                                [&](std::size_t offset, int length) { result.emplace_back(offset, length); });
  return result;
}

TEST(Pieces, CoverEverythingInOrder) {
  EXPECT_EQ(pieces(10, 4), (Pieces{{0, 4}, {4, 4}, {8, 2}}));
  EXPECT_EQ(pieces(8, 4), (Pieces{{0, 4}, {4, 4}}));
  EXPECT_EQ(pieces(3, 4), (Pieces{{0, 3}}));
  EXPECT_TRUE(pieces(0, 4).empty());
}

TEST(Pieces, LengthsFitAnInt) {
  const std::size_t count = (std::size_t{5} << 30) + 7;  // more than 2^32
  const auto result = pieces(count, ringpose::mpi::kPieceElements);
  std::size_t covered = 0;
  for (const auto& [offset, length] : result) {
    EXPECT_EQ(offset, covered);
    EXPECT_GT(length, 0);
    covered += static_cast<std::size_t>(length);
  }
  EXPECT_EQ(covered, count);
}

}  // namespace
