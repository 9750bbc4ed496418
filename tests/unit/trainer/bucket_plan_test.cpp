#include "trainer/bucket_plan.hpp"

#include <gtest/gtest.h>

#include <random>

namespace ringpose::trainer {
namespace {

TEST(BucketPlan, TakesTheLastParameterFirstAndAlignsSlots) {
  // 10 -> 128, 200 -> 256, 128 -> 128 elements with padding; capacity 384 holds the last two.
  const std::vector<std::int64_t> sizes{10, 200, 128};
  const BucketPlan expected{{{384, {{2, 0, 128}, {1, 128, 200}}}, {128, {{0, 0, 10}}}}};
  EXPECT_EQ(plan_buckets(sizes, 384, 384), expected);
}

TEST(BucketPlan, GivesALargeParameterItsOwnBucketUncut) {
  const std::vector<std::int64_t> sizes{128, 1000, 128};
  const BucketPlan plan = plan_buckets(sizes, 256, 256);
  ASSERT_EQ(plan.buckets.size(), 3u);
  EXPECT_EQ(plan.buckets[1], (Bucket{1024, {{1, 0, 1000}}}));
}

TEST(BucketPlan, TheFirstBucketHasASizeOfItsOwn) {
  const std::vector<std::int64_t> sizes{128, 128, 128, 128, 128};
  const BucketPlan plan = plan_buckets(sizes, 384, 128);
  ASSERT_EQ(plan.buckets.size(), 3u);
  EXPECT_EQ(plan.buckets[0].elements, 128);
  EXPECT_EQ(plan.buckets[1].elements, 384);
  EXPECT_EQ(plan.buckets[2].elements, 128);
}

/// What any plan must be, checked on plans of random sizes.
void expect_sound(const BucketPlan& plan, const std::vector<std::int64_t>& sizes, std::int64_t capacity,
                  std::int64_t first_capacity) {
  std::size_t next = sizes.size();  // parameters come once each, the last first
  for (std::size_t b = 0; b < plan.buckets.size(); ++b) {
    const Bucket& bucket = plan.buckets[b];
    const std::int64_t room = b == 0 ? first_capacity : capacity;
    ASSERT_FALSE(bucket.slots.empty());
    EXPECT_TRUE(bucket.elements <= room || bucket.slots.size() == 1);
    std::int64_t end = 0;
    for (const BucketSlot& slot : bucket.slots) {
      EXPECT_EQ(slot.parameter, --next);
      EXPECT_EQ(slot.count, sizes[slot.parameter]);
      EXPECT_EQ(slot.offset % kSlotAlignment, 0);
      EXPECT_GE(slot.offset, end);
      EXPECT_LT(slot.offset, end + kSlotAlignment);
      end = slot.offset + slot.count;
    }
    EXPECT_LE(end, bucket.elements);
    EXPECT_LT(bucket.elements, end + kSlotAlignment);
    if (next == 0) continue;  // else the next parameter had no room here
    const std::int64_t needed = (sizes[next - 1] + kSlotAlignment - 1) / kSlotAlignment * kSlotAlignment;
    if (b + 1 < plan.buckets.size()) {
      EXPECT_GT(bucket.elements + needed, room);
    }
  }
  EXPECT_EQ(next, 0u);
}

TEST(BucketPlan, HoldsEveryParameterOnceInOrderWithinItsRoom) {
  std::mt19937_64 random(7);
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<std::int64_t> sizes(1 + random() % 60);
    for (std::int64_t& size : sizes) size = static_cast<std::int64_t>(1 + random() % (1ULL << (random() % 14)));
    const auto capacity = static_cast<std::int64_t>(1 + random() % 20000);
    const auto first_capacity = static_cast<std::int64_t>(1 + random() % 5000);
    expect_sound(plan_buckets(sizes, capacity, first_capacity), sizes, capacity, first_capacity);
  }
}

TEST(BucketPlan, HashTellsPlansApart) {
  const std::vector<std::int64_t> sizes{10, 200, 128}, swapped{200, 10, 128};
  EXPECT_EQ(plan_hash(plan_buckets(sizes, 384, 384)), plan_hash(plan_buckets(sizes, 384, 384)));
  EXPECT_NE(plan_hash(plan_buckets(sizes, 384, 384)), plan_hash(plan_buckets(sizes, 128, 128)));
  EXPECT_NE(plan_hash(plan_buckets(sizes, 384, 384)), plan_hash(plan_buckets(sizes, 384, 128)));
  EXPECT_NE(plan_hash(plan_buckets(sizes, 384, 384)), plan_hash(plan_buckets(swapped, 384, 384)));
}

TEST(BucketPlan, OfNothingIsEmpty) {
  EXPECT_TRUE(plan_buckets({}, 1, 1).buckets.empty());
}

}  // namespace
}  // namespace ringpose::trainer
