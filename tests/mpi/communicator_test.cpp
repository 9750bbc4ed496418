#include <gtest/gtest.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "mpi/collectives.hpp"
#include "mpi/communicator.hpp"
#include "mpi/device.hpp"
#include "mpi/placement.hpp"

namespace {

using ringpose::mpi::all_gather;
using ringpose::mpi::Communicator;
using ringpose::mpi::place_rank;

std::vector<std::string> host_names(const Communicator& world) {
  char name[256] = {};
  gethostname(name, sizeof(name) - 1);
  std::vector<char> all(static_cast<std::size_t>(world.size()) * sizeof(name));
  MPI_Allgather(name, sizeof(name), MPI_CHAR, all.data(), sizeof(name), MPI_CHAR, world.handle());
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(world.size()));
  for (int r = 0; r < world.size(); ++r) names.emplace_back(all.data() + static_cast<std::size_t>(r) * sizeof(name));
  return names;
}

TEST(Environment, ProvidesSerializedThreads) {
  int provided = 0;
  MPI_Query_thread(&provided);
  EXPECT_GE(provided, MPI_THREAD_SERIALIZED);
}

TEST(Communicator, IsADuplicateOfWorld) {
  const auto world = Communicator::world();
  int relation = 0;
  MPI_Comm_compare(world.handle(), MPI_COMM_WORLD, &relation);
  EXPECT_EQ(relation, MPI_CONGRUENT);
  int rank = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  EXPECT_EQ(world.rank(), rank);
}

TEST(Communicator, MovesItsHandle) {
  auto first = Communicator::world();
  const MPI_Comm handle = first.handle();
  Communicator second(std::move(first));
  EXPECT_EQ(second.handle(), handle);
  auto third = Communicator::world();
  third = std::move(second);
  EXPECT_EQ(third.handle(), handle);
  EXPECT_EQ(all_gather(third, 1.0).size(), static_cast<std::size_t>(third.size()));
}

TEST(Communicator, SplitSharedHoldsTheRanksOfThisHost) {
  const auto world = Communicator::world();
  const auto names = host_names(world);
  const auto node = world.split_shared();
  const auto me = static_cast<std::ptrdiff_t>(world.rank());
  const std::string& mine = names[static_cast<std::size_t>(me)];
  EXPECT_EQ(node.size(), std::count(names.begin(), names.end(), mine));
  EXPECT_EQ(node.rank(), std::count(names.begin(), names.begin() + me, mine));
}

TEST(Placement, GivesEachRankOfANodeItsOwnPlace) {
  const auto world = Communicator::world();
  const auto node = world.split_shared();
  const auto placement = place_rank(world);
  EXPECT_EQ(placement.local_rank, node.rank());
  EXPECT_EQ(placement.local_size, node.size());
  EXPECT_EQ(placement.device_count, ringpose::mpi::device_count());
  EXPECT_EQ(placement.device_ordinal, placement.device_count == 0 ? -1 : placement.local_rank % placement.device_count);
}

TEST(Placement, NeverGivesANodeMoreThreadsThanCores) {
  const auto world = Communicator::world();
  const auto node = world.split_shared();
  const auto threads = all_gather(node, place_rank(world).cpu_threads);
  double sum = 0;
  for (const double count : threads) {
    EXPECT_GE(count, 1);
    sum += count;
  }
  const auto cores = static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN));
  EXPECT_LE(sum, std::max(cores, static_cast<double>(node.size())));
}

}  // namespace
