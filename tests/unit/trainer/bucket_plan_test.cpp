#include "trainer/bucket_plan.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace ringpose::trainer {
namespace {

TEST(BucketPlan, TakesTheLastParameterFirstAndAlignsSlots) {
  // 10 -> 128, 200 -> 256, 128 -> 128 elements with padding; capacity 384 holds the last two.
  const std::vector<std::int64_t> sizes{10, 200, 128};
  const BucketPlan expected{{{384, {{2, 0, 128}, {1, 128, 200}}}, {128, {{0, 0, 10}}}}};
  EXPECT_EQ(plan_buckets(sizes, 384), expected);
}

TEST(BucketPlan, GivesALargeParameterItsOwnBucketUncut) {
  const std::vector<std::int64_t> sizes{128, 1000, 128};
  const BucketPlan plan = plan_buckets(sizes, 256);
  ASSERT_EQ(plan.buckets.size(), 3u);
  EXPECT_EQ(plan.buckets[1], (Bucket{1024, {{1, 0, 1000}}}));
}

TEST(BucketPlan, HoldsEveryParameterOnceWithoutOverlap) {
  std::vector<std::int64_t> sizes(97);
  for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] = static_cast<std::int64_t>((i * 7919) % 3001 + 1);
  std::vector<int> seen(sizes.size(), 0);
  for (const Bucket& bucket : plan_buckets(sizes, 5000).buckets) {
    std::int64_t end = 0;
    for (const BucketSlot& slot : bucket.slots) {
      EXPECT_GE(slot.offset, end);
      EXPECT_EQ(slot.offset % kSlotAlignment, 0);
      EXPECT_EQ(slot.count, sizes[slot.parameter]);
      end = slot.offset + slot.count;
      ++seen[slot.parameter];
    }
    EXPECT_LE(end, bucket.elements);
  }
  EXPECT_EQ(seen, std::vector<int>(sizes.size(), 1));
}

TEST(BucketPlan, HashTellsPlansApart) {
  const std::vector<std::int64_t> sizes{10, 200, 128}, swapped{200, 10, 128};
  EXPECT_EQ(plan_hash(plan_buckets(sizes, 384)), plan_hash(plan_buckets(sizes, 384)));
  EXPECT_NE(plan_hash(plan_buckets(sizes, 384)), plan_hash(plan_buckets(sizes, 128)));
  EXPECT_NE(plan_hash(plan_buckets(sizes, 384)), plan_hash(plan_buckets(swapped, 384)));
}

TEST(BucketPlan, OfNothingIsEmpty) {
  EXPECT_TRUE(plan_buckets({}, 1).buckets.empty());
}

}  // namespace
}  // namespace ringpose::trainer
