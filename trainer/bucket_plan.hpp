// Which gradient lies where in which flat bucket. Pure: sizes in, plan out.
// Source of order and sizes: PyTorch DistributedDataParallel (reverse registration order, buckets of about 25 MiB).
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ringpose::trainer {

/// One parameter's place in a bucket, in elements.
struct BucketSlot {
  std::size_t parameter = 0;
  std::int64_t offset = 0;
  std::int64_t count = 0;
  bool operator==(const BucketSlot&) const = default;
};

struct Bucket {
  std::int64_t elements = 0;  ///< with padding behind every slot
  std::vector<BucketSlot> slots;
  bool operator==(const Bucket&) const = default;
};

struct BucketPlan {
  std::vector<Bucket> buckets;
  bool operator==(const BucketPlan&) const = default;
};

/// Elements a slot starts at a multiple of: 512 bytes of float32.
inline constexpr std::int64_t kSlotAlignment = 128;

/// Fills buckets with the last parameter first, the order in which backward finishes. A parameter is never cut: one
/// that is larger than the capacity (elements) gets a bucket of its own. The first bucket holds up to `first_capacity`
/// elements, the others up to `capacity`; both >= 1.
[[nodiscard]] BucketPlan plan_buckets(std::span<const std::int64_t> parameter_sizes, std::int64_t capacity,
                                      std::int64_t first_capacity);

/// Equal for equal plans; ranks compare it before they add up anything.
[[nodiscard]] std::uint64_t plan_hash(const BucketPlan& plan);

}  // namespace ringpose::trainer
