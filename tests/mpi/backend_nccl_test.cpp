// Needs a GPU for each rank; skips with a message elsewhere.
#include <gtest/gtest.h>

#include "mpi/device.hpp"
#include "mpi/error.hpp"
#include "mpi/placement.hpp"
#include "tests/mpi/backend_conformance.hpp"

namespace ringpose::test {

namespace {

struct GpuTraits {
  static constexpr auto kKind = mpi::BackendKind::nccl;
  static std::optional<std::string> obstacle(const mpi::Communicator& world) { return gpu_obstacle(world); }
  static std::unique_ptr<TestPlace> make_place(const mpi::Communicator& world) {
    return make_gpu_place(mpi::place_rank(world).device_ordinal);
  }
};

INSTANTIATE_TYPED_TEST_SUITE_P(Nccl, BackendConformance, GpuTraits);

TEST(NcclBackend, NeedsAGpu) {
  const auto world = mpi::Communicator::world();
  try {
    static_cast<void>(mpi::make_backend(mpi::BackendKind::nccl, world, /*device_ordinal=*/9999));
    ADD_FAILURE() << "no exception";
  } catch (const mpi::DeviceError& error) {
    const std::string expected = mpi::built_with_cuda() ? "needs a GPU for each rank" : "-DRINGPOSE_WITH_CUDA=ON";
    EXPECT_NE(std::string(error.what()).find(expected), std::string::npos) << error.what();
  }
}

TEST(NcclBackend, RefusesTwoRanksOnOneGpu) {
  const auto world = mpi::Communicator::world();
  if (world.split_shared().size() < 2 || mpi::device_count() < 1)
    GTEST_SKIP() << "needs two ranks on a node with a GPU";
  try {
    static_cast<void>(mpi::make_backend(mpi::BackendKind::nccl, world, 0));
    ADD_FAILURE() << "no exception";
  } catch (const mpi::DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find("would share GPU"), std::string::npos) << error.what();
  }
}

TEST(NcclBackend, AbortsWithoutFinish) {
  const auto world = mpi::Communicator::world();
  if (const auto obstacle = gpu_obstacle(world)) GTEST_SKIP() << *obstacle;
  const auto place = make_gpu_place(mpi::place_rank(world).device_ordinal);
  const auto memory = place->allocate(4000);
  const auto backend = mpi::make_backend(mpi::BackendKind::nccl, world, place->device_ordinal());
  // Connects the ranks, which takes all of them.
  backend->all_reduce({memory->data(), 1000, mpi::DataType::f32}, mpi::ReduceOp::sum, place->stream())
      ->wait(place->stream());
  // Only one rank takes part: the collective can never end, and destroying the backend must not wait for it.
  if (world.rank() == 0)
    static_cast<void>(
        backend->all_reduce({memory->data(), 1000, mpi::DataType::f32}, mpi::ReduceOp::sum, place->stream()));
}

TEST(NcclBackend, RefusesWorkAfterFinish) {
  const auto world = mpi::Communicator::world();
  if (const auto obstacle = gpu_obstacle(world)) GTEST_SKIP() << *obstacle;
  const auto place = make_gpu_place(mpi::place_rank(world).device_ordinal);
  const auto memory = place->allocate(4);
  const auto backend = mpi::make_backend(mpi::BackendKind::nccl, world, place->device_ordinal());
  EXPECT_EQ(backend->name(), "nccl");
  backend->finish();
  EXPECT_NO_THROW(backend->finish());
  EXPECT_THROW(static_cast<void>(
                   backend->all_reduce({memory->data(), 1, mpi::DataType::f32}, mpi::ReduceOp::sum, place->stream())),
               mpi::DeviceError);
}

}  // namespace

}  // namespace ringpose::test
