// Expected values are formulas in rank and index, worked out for n ranks.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mpi/collectives.hpp"
#include "mpi/communicator.hpp"
#include "mpi/error.hpp"

namespace {

using ringpose::mpi::Communicator;
using ringpose::mpi::MpiError;
using ringpose::mpi::ReduceOp;

class Collectives : public testing::Test {
 protected:
  Communicator world_ = Communicator::world();
  const int ranks_ = world_.size();
  const int rank_ = world_.rank();
};

/// weight(i) takes both signs and zero.
int weight(std::size_t index) {
  return static_cast<int>(index % 17) - 8;
}

/// Rank r holds (r + 1) * weight(i). So the sum is weight * n(n+1)/2, and the extremes lie at r = 0 and r = n - 1.
template <typename T>
T expected(ReduceOp op, std::size_t index, int ranks) {
  const int w = weight(index);
  const int sum_of_ranks = ranks * (ranks + 1) / 2;
  if (op == ReduceOp::sum) return static_cast<T>(w) * static_cast<T>(sum_of_ranks);
  const bool far = (op == ReduceOp::max) == (w > 0);
  return static_cast<T>(w) * static_cast<T>(far ? ranks : 1);
}

template <typename T>
void expect_all_reduce(const Communicator& world, std::size_t count, ReduceOp op) {
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<T>(world.rank() + 1) * static_cast<T>(weight(i));
  all_reduce(world, std::span<T>(values), op);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < count; ++i) wrong += values[i] == expected<T>(op, i, world.size()) ? 0U : 1U;
  EXPECT_EQ(wrong, 0U) << "of " << count << " values, operation " << static_cast<int>(op);
}

TEST_F(Collectives, AllReduceFollowsTheFormula) {
  for (const ReduceOp op : {ReduceOp::sum, ReduceOp::min, ReduceOp::max}) {
    for (const std::size_t count : {0U, 1U, 18U, 100'003U}) {
      expect_all_reduce<float>(world_, count, op);
      expect_all_reduce<double>(world_, count, op);
      expect_all_reduce<std::int64_t>(world_, count, op);
    }
  }
}

TEST_F(Collectives, AllReduceKeeps64Bits) {
  std::array<std::int64_t, 1> value{(std::int64_t{1} << 60) + rank_};
  all_reduce(world_, std::span<std::int64_t>(value), ReduceOp::max);
  EXPECT_EQ(value[0], (std::int64_t{1} << 60) + ranks_ - 1);
}

TEST_F(Collectives, BroadcastBytesFromEveryRoot) {
  for (int root = 0; root < ranks_; ++root) {
    std::vector<std::byte> bytes(100'003);
    for (std::size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = std::byte((i * 7 + static_cast<std::size_t>(rank_)) & 0xff);
    broadcast(world_, bytes, root);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i)
      wrong += bytes[i] == std::byte((i * 7 + static_cast<std::size_t>(root)) & 0xff) ? 0U : 1U;
    EXPECT_EQ(wrong, 0U) << "root " << root;
  }
}

TEST_F(Collectives, BroadcastTextReplacesAnyLength) {
  for (int root = 0; root < ranks_; ++root) {
    const std::string sent = "text of " + std::to_string(root) + std::string("\0with a zero", 12);
    std::string text = rank_ == root ? sent : std::string(static_cast<std::size_t>(rank_) * 40, 'x');
    broadcast(world_, text, root);
    EXPECT_EQ(text, sent);
  }
  std::string empty = rank_ == 0 ? "" : "not empty";
  broadcast(world_, empty);
  EXPECT_EQ(empty, "");
}

TEST_F(Collectives, GatherKeepsRankOrderAndLengths) {
  for (int root = 0; root < ranks_; ++root) {
    const auto own = static_cast<unsigned char>(10 + rank_);
    const std::vector<std::byte> mine(static_cast<std::size_t>(rank_) * 5, std::byte{own});  // rank 0 sends nothing
    const auto parts = gather(world_, mine, root);
    if (rank_ != root) {
      EXPECT_TRUE(parts.empty());
      continue;
    }
    EXPECT_EQ(parts.size(), static_cast<std::size_t>(ranks_));
    for (std::size_t r = 0; r < parts.size(); ++r)
      EXPECT_EQ(parts[r], std::vector<std::byte>(r * 5, std::byte(10 + r)));
  }
}

TEST_F(Collectives, AllGatherIsInRankOrder) {
  const auto values = all_gather(world_, rank_ + 0.25);
  EXPECT_EQ(values.size(), static_cast<std::size_t>(ranks_));
  for (std::size_t r = 0; r < values.size(); ++r) EXPECT_EQ(values[r], static_cast<double>(r) + 0.25);
}

TEST_F(Collectives, AllEqualSeesOneDifferentRank) {
  for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{5}, ~std::uint64_t{0}, std::uint64_t{1} << 63}) {
    EXPECT_TRUE(all_equal(world_, value));
    for (int odd = 0; odd < ranks_; ++odd) EXPECT_EQ(all_equal(world_, rank_ == odd ? value ^ 1U : value), ranks_ == 1);
  }
}

TEST_F(Collectives, BadRootThrowsInsteadOfEndingTheJob) {
  std::vector<std::byte> bytes(8);
  EXPECT_THROW(broadcast(world_, bytes, ranks_), MpiError);
  try {
    broadcast(world_, bytes, -1);
    ADD_FAILURE() << "no exception";
  } catch (const MpiError& error) {
    EXPECT_NE(std::string(error.what()).find("MPI_Bcast failed"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("invalid root"), std::string::npos) << error.what();
  }
}

TEST_F(Collectives, BarrierHoldsEveryRank) {
  const double before = MPI_Wtime();
  if (rank_ == ranks_ - 1) usleep(200'000);
  barrier(world_);
  EXPECT_GE(MPI_Wtime() - before, 0.15);
}

}  // namespace
