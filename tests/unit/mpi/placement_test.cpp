#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "mpi/placement.hpp"

namespace {

using ringpose::mpi::CoreMask;
using ringpose::mpi::limit_by_quota;
using ringpose::mpi::Placement;
using ringpose::mpi::share_of_cores;

/// Cores first..last, both included.
CoreMask cores(std::size_t first, std::size_t last) {
  CoreMask mask{};
  for (std::size_t core = first; core <= last; ++core) mask[core / 64] |= std::uint64_t{1} << (core % 64);
  return mask;
}

TEST(ShareOfCores, UnboundRanksDivideTheNode) {
  const std::vector<CoreMask> four(4, cores(0, 7));
  for (int rank = 0; rank < 4; ++rank) EXPECT_EQ(share_of_cores(four, rank), 2);
  EXPECT_EQ(share_of_cores(std::vector<CoreMask>(1, cores(0, 127)), 0), 128);
  EXPECT_EQ(share_of_cores(std::vector<CoreMask>(2, cores(0, 6)), 1), 3);
}

TEST(ShareOfCores, BoundRanksKeepTheirOwn) {
  const std::vector<CoreMask> masks{cores(0, 3), cores(4, 5)};
  EXPECT_EQ(share_of_cores(masks, 0), 4);
  EXPECT_EQ(share_of_cores(masks, 1), 2);
}

TEST(ShareOfCores, OnlySharedCoresAreDivided) {
  const std::vector<CoreMask> masks{cores(0, 3), cores(2, 5)};  // two cores each alone, two shared
  EXPECT_EQ(share_of_cores(masks, 0), 3);
  const std::vector<CoreMask> sockets{cores(0, 7), cores(0, 7), cores(8, 15), cores(8, 15)};
  EXPECT_EQ(share_of_cores(sockets, 3), 4);
}

TEST(ShareOfCores, IsAtLeastOne) {
  EXPECT_EQ(share_of_cores(std::vector<CoreMask>(3, cores(0, 1)), 2), 1);
  EXPECT_EQ(share_of_cores(std::vector<CoreMask>(2), 0), 1);
}

TEST(ShareOfCores, FractionsThatAddUpLoseNothing) {
  for (int ranks = 1; ranks <= 128; ++ranks) {
    const auto n = static_cast<std::size_t>(ranks);
    EXPECT_EQ(share_of_cores(std::vector<CoreMask>(n, cores(0, 3 * n - 1)), ranks - 1), 3) << ranks;
  }
}

TEST(ShareOfCores, CountsHighCores) {
  EXPECT_EQ(share_of_cores(std::vector<CoreMask>{cores(8000, 8191), cores(0, 3)}, 0), 192);
}

TEST(LimitByQuota, DividesTheQuota) {
  EXPECT_EQ(limit_by_quota(64, std::nullopt, 2), 64);
  EXPECT_EQ(limit_by_quota(64, 8.0, 1), 8);
  EXPECT_EQ(limit_by_quota(32, 8.0, 2), 4);
  EXPECT_EQ(limit_by_quota(2, 8.0, 2), 2);
  EXPECT_EQ(limit_by_quota(64, 1.5, 2), 1);
}

TEST(Placement, DescribesItself) {
  EXPECT_EQ((Placement{1, 2, 4, 1, 8}.describe()), "local rank 1 of 2, GPU 1 of 4, 8 CPU threads");
  EXPECT_EQ((Placement{0, 1, 0, -1, 1}.describe()), "local rank 0 of 1, no GPU, 1 CPU thread");
}

}  // namespace
