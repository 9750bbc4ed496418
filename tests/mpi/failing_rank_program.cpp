// Fails in a chosen way on one rank or on all while the others wait in a collective. Started by failing_rank_test.cpp:
// failing_rank_program MODE FOLDER. Each rank leaves a file FOLDER/<process id>.
#include <unistd.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>

#include "mpi/backend.hpp"
#include "mpi/collectives.hpp"
#include "mpi/communicator.hpp"
#include "mpi/environment.hpp"

namespace {

using namespace ringpose;

/// Holds what a trainer holds, so that unwinding passes through communicators, a backend and a pending collective.
void work(const mpi::Communicator& world, const std::string& mode) {
  const auto node = world.split_shared();
  const auto backend = mpi::make_backend(mpi::BackendKind::mpi, world, -1);
  const bool fails = mode == "all_throw" || world.rank() == world.size() - 1;
  if (mode != "pass" && mode != "exit_code" && fails) {
    static std::array<float, 100'000> values{};
    const auto pending =
        backend->all_reduce({values.data(), values.size(), mpi::DataType::f32}, mpi::ReduceOp::sum, nullptr);
    if (mode == "abort_7") mpi::Environment::abort(7);
    throw std::runtime_error("made to fail");
  }
  mpi::barrier(node);
  mpi::barrier(world);
}

/// As launch/main.cpp: environment and communicator outlive the error, and abort ends the others.
int run(int argc, char** argv) {
  mpi::Environment environment(argc, argv);
  const auto world = mpi::Communicator::world();
  const std::string mode = argv[1];
  std::ofstream(std::string(argv[2]) + "/" + std::to_string(getpid())) << world.rank();
  if (mode == "unwind_all") work(world, mode);
  try {
    work(world, mode);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "[rank %d] %s\n", world.rank(), error.what());
    if (world.size() > 1) mpi::Environment::abort(1);
    return 1;
  }
  return mode == "exit_code" ? 5 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "unwound: %s\n", error.what());
    return 4;
  }
}
