#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

#include "mpi/error.hpp"
#include "tests/mpi/backend_conformance.hpp"

namespace ringpose::test {

namespace {

class HostMemory final : public TestMemory {
 public:
  explicit HostMemory(std::size_t bytes) : bytes_(bytes) {}
  void* data() override { return bytes_.data(); }
  void write(std::span<const std::byte> bytes) override { std::copy(bytes.begin(), bytes.end(), bytes_.begin()); }
  std::vector<std::byte> read() override { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

class HostPlace final : public TestPlace {
 public:
  std::unique_ptr<TestMemory> allocate(std::size_t bytes) override { return std::make_unique<HostMemory>(bytes); }
  mpi::StreamHandle stream() override { return nullptr; }
  void delay() override {}
  int device_ordinal() const override { return -1; }
};

struct HostTraits {
  static constexpr auto kKind = mpi::BackendKind::mpi;
  static std::optional<std::string> obstacle(const mpi::Communicator&) { return std::nullopt; }
  static std::unique_ptr<TestPlace> make_place(const mpi::Communicator&) { return std::make_unique<HostPlace>(); }
};

INSTANTIATE_TYPED_TEST_SUITE_P(Mpi, BackendConformance, HostTraits);

TEST(MpiBackend, HasAName) {
  const auto world = mpi::Communicator::world();
  EXPECT_EQ(mpi::make_backend(mpi::BackendKind::mpi, world, -1)->name(), "mpi");
}

TEST(MpiBackend, RoundsHalfSumsOncePerAddition) {
  const auto world = mpi::Communicator::world();
  const auto backend = mpi::make_backend(mpi::BackendKind::mpi, world, -1);
  // 256 + 1 lies half-way between the neighbours 256 and 258 of bf16 and goes to the even 256.
  std::uint16_t value = mpi::to_bf16(world.rank() == 0 ? 256.0F : (world.rank() == 1 ? 1.0F : 0.0F));
  backend->all_reduce({&value, 1, mpi::DataType::bf16}, mpi::ReduceOp::sum, nullptr)->wait(nullptr);
  EXPECT_EQ(mpi::from_bf16(value), 256.0F);
}

TEST(MpiBackend, AdvancesWhileNobodyWaits) {
  const auto world = mpi::Communicator::world();
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  if (level < MPI_THREAD_MULTIPLE || world.size() == 1) GTEST_SKIP() << "no progress thread here";
  const auto backend = mpi::make_backend(mpi::BackendKind::mpi, world, -1);
  // Too long to be sent at once: without calls of MPI it would never arrive.
  std::vector<float> values(std::size_t{4} << 20, 1.0F);
  const auto work =
      backend->all_reduce({values.data(), values.size(), mpi::DataType::f32}, mpi::ReduceOp::sum, nullptr);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  std::atomic_ref<float> last(values.back());
  const auto sum = static_cast<float>(world.size());
  while (last.load() != sum && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(last.load(), sum);
  work->wait(nullptr);
  EXPECT_EQ(values, std::vector<float>(values.size(), sum));
}

TEST(MpiBackend, RefusesANullPointer) {
  const auto world = mpi::Communicator::world();
  const auto backend = mpi::make_backend(mpi::BackendKind::mpi, world, -1);
  EXPECT_THROW(static_cast<void>(backend->all_reduce({nullptr, 4, mpi::DataType::f32}, mpi::ReduceOp::sum, nullptr)),
               mpi::MpiError);
}

}  // namespace

}  // namespace ringpose::test
