#include "trainer/bucket_plan.hpp"

#include <cassert>

#include "trainer/content_hash.hpp"

namespace ringpose::trainer {

namespace {

std::int64_t aligned(std::int64_t count) {
  return (count + kSlotAlignment - 1) / kSlotAlignment * kSlotAlignment;
}

}  // namespace

BucketPlan plan_buckets(std::span<const std::int64_t> parameter_sizes, std::int64_t capacity,
                        std::int64_t first_capacity) {
  assert(capacity >= 1 && first_capacity >= 1);
  BucketPlan plan;
  for (std::size_t parameter = parameter_sizes.size(); parameter-- > 0;) {
    const std::int64_t needed = aligned(parameter_sizes[parameter]);
    const std::int64_t room = plan.buckets.size() == 1 ? first_capacity : capacity;
    if (plan.buckets.empty() || plan.buckets.back().elements + needed > room) plan.buckets.emplace_back();
    Bucket& bucket = plan.buckets.back();
    bucket.slots.push_back({parameter, bucket.elements, parameter_sizes[parameter]});
    bucket.elements += needed;
  }
  return plan;
}

std::uint64_t plan_hash(const BucketPlan& plan) {
  ContentHash hash;
  for (const Bucket& bucket : plan.buckets) {
    hash.add(static_cast<std::uint64_t>(bucket.elements));
    hash.add(static_cast<std::uint64_t>(bucket.slots.size()));
    for (const BucketSlot& slot : bucket.slots) {
      hash.add(static_cast<std::uint64_t>(slot.parameter));
      hash.add(static_cast<std::uint64_t>(slot.offset));
      hash.add(static_cast<std::uint64_t>(slot.count));
    }
  }
  return hash.value();
}

}  // namespace ringpose::trainer
