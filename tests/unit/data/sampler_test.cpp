#include "data/sampler.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <vector>

#include "data/error.hpp"

namespace ringpose::data {
namespace {

std::vector<std::int64_t> rows_from(std::int64_t first, std::int64_t count) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(count));
  std::iota(rows.begin(), rows.end(), first);
  return rows;
}

TEST(Sampler, EpochOrderIsAPermutationOfTheGivenRows) {
  const std::vector<std::int64_t> rows{4, 9, 2, 7, 30, 11, 5};
  const Sampler sampler(rows, 3, 1);
  for (int epoch = 0; epoch < 20; ++epoch) {
    EXPECT_TRUE(std::ranges::is_permutation(sampler.epoch_order(epoch), rows)) << "epoch " << epoch;
  }
}

TEST(Sampler, OrderDependsOnSeedAndEpochAlone) {
  const Sampler sampler(rows_from(0, 100), 8, 5);
  const Sampler same_seed_other_batch(rows_from(0, 100), 32, 5);
  const Sampler other_seed(rows_from(0, 100), 8, 6);
  EXPECT_EQ(sampler.epoch_order(3), same_seed_other_batch.epoch_order(3));
  EXPECT_NE(sampler.epoch_order(3), sampler.epoch_order(4));
  EXPECT_NE(sampler.epoch_order(3), other_seed.epoch_order(3));
}

// All 24 orders of 4 rows are equally likely: chi-square with 23 degrees of freedom, 49.73 at level 0.001.
TEST(Sampler, EveryOrderIsEquallyLikely) {
  const Sampler sampler(rows_from(0, 4), 4, 77);
  constexpr int kEpochs = 24000;
  std::map<std::vector<std::int64_t>, int> counts;
  for (int epoch = 0; epoch < kEpochs; ++epoch) ++counts[sampler.epoch_order(epoch)];
  ASSERT_EQ(counts.size(), 24U);
  double chi_square = 0;
  for (const auto& [order, count] : counts) chi_square += (count - 1000.0) * (count - 1000.0) / 1000.0;
  EXPECT_LT(chi_square, 49.73);
}

TEST(Sampler, LastBatchHoldsTheRest) {
  const Sampler sampler(rows_from(0, 10), 4, 1);
  ASSERT_EQ(sampler.steps_per_epoch(), 3);
  EXPECT_EQ(sampler.batch(2, 0).size(), 4U);
  EXPECT_EQ(sampler.batch(2, 1).size(), 4U);
  EXPECT_EQ(sampler.batch(2, 2).size(), 2U);
}

TEST(Sampler, BatchesInTurnAreTheEpochOrder) {
  const Sampler sampler(rows_from(100, 11), 3, 9);
  std::vector<std::int64_t> joined;
  for (std::int64_t step = 0; step < sampler.steps_per_epoch(); ++step) {
    const auto batch = sampler.batch(6, step);
    joined.insert(joined.end(), batch.begin(), batch.end());
  }
  EXPECT_EQ(joined, sampler.epoch_order(6));
}

TEST(Sampler, RejectsEmptySetBadBatchAndMissingStep) {
  EXPECT_THROW(Sampler({}, 8, 1), ConfigError);
  EXPECT_THROW(Sampler({1, 2}, 0, 1), ConfigError);
  const Sampler sampler(rows_from(0, 10), 4, 1);
  EXPECT_THROW((void)sampler.batch(0, 3), ConfigError);
  EXPECT_THROW((void)sampler.batch(0, -1), ConfigError);
}

TEST(SliceOfBatch, KnownShares) {
  const Slice first = slice_of_batch(8, 0, 3);
  const Slice last = slice_of_batch(8, 2, 3);
  EXPECT_EQ(first.first, 0);
  EXPECT_EQ(first.count, 3);
  EXPECT_EQ(last.first, 6);
  EXPECT_EQ(last.count, 2);
  EXPECT_EQ(last.padded, 3);
}

TEST(SliceOfBatch, SharesCoverTheBatchInOrderAndDifferByAtMostOne) {
  for (std::int64_t rows = 0; rows <= 20; ++rows) {
    for (int world_size = 1; world_size <= 9; ++world_size) {
      std::int64_t next = 0;
      for (int rank = 0; rank < world_size; ++rank) {
        const Slice slice = slice_of_batch(rows, rank, world_size);
        EXPECT_EQ(slice.first, next);
        EXPECT_GE(slice.count, rows / world_size);
        EXPECT_LE(slice.count, slice.padded);
        EXPECT_EQ(slice.padded, (rows + world_size - 1) / world_size);
        next += slice.count;
      }
      EXPECT_EQ(next, rows) << rows << " rows over " << world_size;
    }
  }
}

TEST(SliceOfBatch, RejectsARankOutsideTheWorld) {
  EXPECT_THROW((void)slice_of_batch(8, 3, 3), ConfigError);
  EXPECT_THROW((void)slice_of_batch(8, -1, 3), ConfigError);
  EXPECT_THROW((void)slice_of_batch(-1, 0, 1), ConfigError);
}

}  // namespace
}  // namespace ringpose::data
