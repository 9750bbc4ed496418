// One test body for every backend. Values are formulas in rank and index; small integers, so that every type holds them
// exactly.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mpi/backend.hpp"
#include "mpi/half.hpp"
#include "tests/mpi/test_memory.hpp"

namespace ringpose::test {

inline constexpr mpi::DataType kTypes[] = {mpi::DataType::u8,  mpi::DataType::i32,  mpi::DataType::i64,
                                           mpi::DataType::f16, mpi::DataType::bf16, mpi::DataType::f32,
                                           mpi::DataType::f64};
inline constexpr mpi::ReduceOp kOperations[] = {mpi::ReduceOp::sum, mpi::ReduceOp::min, mpi::ReduceOp::max};

template <typename T>
void put(std::byte* target, T value) {
  std::memcpy(target, &value, sizeof(T));
}

/// Values as bytes of `type`.
inline std::vector<std::byte> encode(mpi::DataType type, const std::vector<int>& values) {
  const std::size_t size = mpi::bytes_of(type);
  std::vector<std::byte> bytes(values.size() * size);
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::byte* target = bytes.data() + i * size;
    const auto value = static_cast<float>(values[i]);
    switch (type) {
      case mpi::DataType::u8:
        put(target, static_cast<std::uint8_t>(values[i]));
        break;
      case mpi::DataType::i32:
        put(target, std::int32_t{values[i]});
        break;
      case mpi::DataType::i64:
        put(target, std::int64_t{values[i]});
        break;
      case mpi::DataType::f16:
        put(target, mpi::to_f16(value));
        break;
      case mpi::DataType::bf16:
        put(target, static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16));
        break;
      case mpi::DataType::f32:
        put(target, value);
        break;
      case mpi::DataType::f64:
        put(target, static_cast<double>(values[i]));
        break;
    }
  }
  return bytes;
}

/// 1 to 7; signed types alternate the sign. Up to 8 ranks, sums stay at or below 252: exact in bf16 and u8.
inline int weight(mpi::DataType type, std::size_t index, int salt) {
  const int magnitude = 1 + static_cast<int>((index + static_cast<std::size_t>(salt)) % 7);
  return type != mpi::DataType::u8 && index % 2 == 1 ? -magnitude : magnitude;
}

/// Rank r holds (r + 1) * weight.
inline std::vector<int> input(mpi::DataType type, std::size_t count, int rank, int salt) {
  std::vector<int> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = (rank + 1) * weight(type, i, salt);
  return values;
}

/// Sum: weight * n(n+1)/2. Extremes: at rank 0 and rank n - 1, which is which depends on the sign.
inline std::vector<int> reduced(mpi::DataType type, std::size_t count, int ranks, int salt, mpi::ReduceOp op) {
  std::vector<int> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    const int w = weight(type, i, salt);
    const int far =
        op == mpi::ReduceOp::sum ? ranks * (ranks + 1) / 2 : ((op == mpi::ReduceOp::max) == (w > 0) ? ranks : 1);
    values[i] = w * far;
  }
  return values;
}

/// `Traits` gives kKind, obstacle(world) and make_place(). One backend serves all tests of the suite.
template <typename Traits>
class BackendConformance : public testing::Test {
 public:
  static void SetUpTestSuite() {
    world_ = std::make_unique<mpi::Communicator>(mpi::Communicator::world());
    obstacle_ = Traits::obstacle(*world_);
    if (obstacle_) return;
    place_ = Traits::make_place(*world_);
    backend_ = mpi::make_backend(Traits::kKind, *world_, place_->device_ordinal());
  }
  static void TearDownTestSuite() {
    if (backend_) backend_->finish();
    backend_.reset();
    place_.reset();
    world_.reset();
  }

 protected:
  void SetUp() override {
    if (obstacle_) GTEST_SKIP() << *obstacle_;
  }
  static int rank() { return world_->rank(); }
  static int ranks() { return world_->size(); }

  /// Memory with this rank's input, written behind a delay on the stream.
  static std::unique_ptr<TestMemory> filled(mpi::DataType type, std::size_t count, int salt) {
    auto memory = place_->allocate(count * mpi::bytes_of(type));
    place_->delay();
    memory->write(encode(type, input(type, count, rank(), salt)));
    return memory;
  }

  static void expect_all_reduce(mpi::DataType type, std::size_t count, mpi::ReduceOp op) {
    const auto memory = filled(type, count, 0);
    backend_->all_reduce({memory->data(), count, type}, op, place_->stream())->wait(place_->stream());
    EXPECT_TRUE(memory->read() == encode(type, reduced(type, count, ranks(), 0, op)))
        << count << " values of " << mpi::name_of(type) << ", operation " << static_cast<int>(op);
  }

  static void expect_broadcast(mpi::DataType type, std::size_t count, int root) {
    const auto memory = filled(type, count, 0);
    backend_->broadcast({memory->data(), count, type}, root, place_->stream())->wait(place_->stream());
    EXPECT_TRUE(memory->read() == encode(type, input(type, count, root, 0)))
        << count << " values of " << mpi::name_of(type) << ", root " << root;
  }

  static inline std::unique_ptr<mpi::Communicator> world_;
  static inline std::optional<std::string> obstacle_;
  static inline std::unique_ptr<TestPlace> place_;
  static inline std::unique_ptr<mpi::Backend> backend_;
};

TYPED_TEST_SUITE_P(BackendConformance);

TYPED_TEST_P(BackendConformance, AllReducesEveryTypeAndOperation) {
  for (const auto type : kTypes)
    for (const auto op : kOperations)
      for (const std::size_t count : {1U, 3U, 1000U}) this->expect_all_reduce(type, count, op);
}

TYPED_TEST_P(BackendConformance, BroadcastsEveryTypeFromEveryRoot) {
  for (const auto type : kTypes)
    for (int root = 0; root < this->ranks(); ++root)
      for (const std::size_t count : {1U, 1000U}) this->expect_broadcast(type, count, root);
}

TYPED_TEST_P(BackendConformance, TakesLargeAndOddSizes) {
  this->expect_all_reduce(mpi::DataType::f32, (std::size_t{1} << 22) + 3, mpi::ReduceOp::sum);
  this->expect_all_reduce(mpi::DataType::bf16, (std::size_t{1} << 20) + 1, mpi::ReduceOp::sum);
  this->expect_broadcast(mpi::DataType::u8, (std::size_t{1} << 22) + 1, this->ranks() - 1);
}

TYPED_TEST_P(BackendConformance, TakesEmptySpans) {
  const auto nothing =
      this->backend_->all_reduce({nullptr, 0, mpi::DataType::f32}, mpi::ReduceOp::sum, this->place_->stream());
  EXPECT_NO_THROW(nothing->wait(this->place_->stream()));
}

TYPED_TEST_P(BackendConformance, KeepsSeveralInFlight) {
  constexpr int kBuckets = 6;
  std::vector<std::unique_ptr<TestMemory>> buckets;
  std::vector<std::unique_ptr<mpi::Work>> works;
  const auto count = [](int bucket) {
    return std::size_t{1000} + std::size_t{1001} * static_cast<std::size_t>(bucket);
  };
  for (int bucket = 0; bucket < kBuckets; ++bucket) {
    buckets.push_back(this->filled(mpi::DataType::f32, count(bucket), bucket));
    works.push_back(this->backend_->all_reduce({buckets.back()->data(), count(bucket), mpi::DataType::f32},
                                               mpi::ReduceOp::sum, this->place_->stream()));
  }
  for (auto& work : works) work->wait(this->place_->stream());
  for (int bucket = 0; bucket < kBuckets; ++bucket)
    EXPECT_TRUE(buckets[static_cast<std::size_t>(bucket)]->read() ==
                encode(mpi::DataType::f32,
                       reduced(mpi::DataType::f32, count(bucket), this->ranks(), bucket, mpi::ReduceOp::sum)))
        << "bucket " << bucket;
}

/// Chains: each all-reduce reads what the stream wrote after the one before. Wrong ordering in either direction changes
/// the sums.
TYPED_TEST_P(BackendConformance, KeepsTheStreamsOrder) {
  constexpr std::size_t kCount = std::size_t{1} << 20;
  const auto memory = this->place_->allocate(kCount * mpi::bytes_of(mpi::DataType::i32));
  for (int round = 0; round < 10; ++round) {
    this->place_->delay();
    memory->write(encode(mpi::DataType::i32, input(mpi::DataType::i32, kCount, this->rank(), round)));
    this->backend_->all_reduce({memory->data(), kCount, mpi::DataType::i32}, mpi::ReduceOp::sum, this->place_->stream())
        ->wait(this->place_->stream());
    EXPECT_TRUE(memory->read() == encode(mpi::DataType::i32,
                                         reduced(mpi::DataType::i32, kCount, this->ranks(), round, mpi::ReduceOp::sum)))
        << "round " << round;
  }
}

TYPED_TEST_P(BackendConformance, SurvivesWorkThatNobodyWaitsFor) {
  {
    const auto memory = this->filled(mpi::DataType::f32, 1000, 0);
    {
      const auto work = this->backend_->all_reduce({memory->data(), 1000, mpi::DataType::f32}, mpi::ReduceOp::sum,
                                                   this->place_->stream());
    }
    this->expect_all_reduce(mpi::DataType::f32, 1000, mpi::ReduceOp::sum);
  }
}

REGISTER_TYPED_TEST_SUITE_P(BackendConformance, AllReducesEveryTypeAndOperation, BroadcastsEveryTypeFromEveryRoot,
                            TakesLargeAndOddSizes, TakesEmptySpans, KeepsSeveralInFlight, KeepsTheStreamsOrder,
                            SurvivesWorkThatNobodyWaitsFor);

}  // namespace ringpose::test
