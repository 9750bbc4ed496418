// Tests that fail on purpose on one rank, to try tests/support/mpi_main.cpp. Started by failing_rank_test.cpp only.
#include <gtest/gtest.h>

#include <stdexcept>

#include "mpi/collectives.hpp"
#include "mpi/communicator.hpp"

namespace {

using ringpose::mpi::Communicator;

bool is_last(const Communicator& world) {
  return world.rank() == world.size() - 1;
}

TEST(SharedFailure, None) {
  barrier(Communicator::world());
}

TEST(SharedFailure, Expect) {
  const auto world = Communicator::world();
  EXPECT_FALSE(is_last(world)) << "on purpose";
  barrier(world);
}

TEST(SharedFailure, AssertBeforeACollective) {
  const auto world = Communicator::world();
  ASSERT_FALSE(is_last(world)) << "on purpose";
  barrier(world);
}

TEST(SharedFailure, ExceptionBeforeACollective) {
  const auto world = Communicator::world();
  if (is_last(world)) throw std::runtime_error("on purpose");
  barrier(world);
}

}  // namespace
