// main of MPI tests: refuses a wrong rank count, prints per rank, and makes one failing rank fail the whole test.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "mpi/communicator.hpp"
#include "mpi/environment.hpp"

namespace {

using ringpose::mpi::Communicator;
using ringpose::mpi::Environment;

constexpr int kExitFailed = 1;
constexpr int kExitWrongRanks = 3;

/// One failing rank fails the test on every rank.
class SharedFailure : public testing::EmptyTestEventListener {
 public:
  explicit SharedFailure(const Communicator& world) : world_(world) {}

  /// A rank that leaves a test by ASSERT or exception skips collectives in which the others would wait for ever: the
  /// job ends here.
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.fatally_failed() || world_.size() == 1) return;
    std::fflush(nullptr);
    Environment::abort(kExitFailed);
  }

  void OnTestEnd(const testing::TestInfo& info) override {
    int failed = info.result()->Failed() ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, world_.handle());
    if (failed == 0) return;
    any_failed_ = true;
    if (!info.result()->Failed() && world_.rank() == 0)
      std::printf("%s.%s failed on another rank\n", info.test_suite_name(), info.name());
  }

  [[nodiscard]] bool any_failed() const { return any_failed_; }

 private:
  const Communicator& world_;
  bool any_failed_ = false;
};

/// Only rank 0 prints progress; the others print failures with their rank in front.
class FailurePrinter : public testing::EmptyTestEventListener {
 public:
  explicit FailurePrinter(int rank) : rank_(rank) {}
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::printf("[rank %d] %s:%d: %s\n", rank_, result.file_name() != nullptr ? result.file_name() : "?",
                result.line_number(), result.summary());
    std::fflush(stdout);
  }

 private:
  int rank_;
};

bool rank_count_is_right(const Communicator& world) {
  const char* expected = std::getenv("RINGPOSE_TEST_RANKS");
  if (expected == nullptr || std::stoi(expected) == world.size()) return true;
  if (world.rank() == 0)
    std::fprintf(stderr, "this test was registered for %s ranks but runs on %d\n", expected, world.size());
  return false;
}

int run_tests(const Communicator& world) {
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  if (world.rank() != 0) {
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new FailurePrinter(world.rank()));
  }
  auto* failures = new SharedFailure(world);  // owned by gtest, called after the printers
  listeners.Append(failures);
  const int result = RUN_ALL_TESTS();
  return result != 0 || failures->any_failed() ? kExitFailed : 0;
}

}  // namespace

int main(int argc, char** argv) {
  Environment environment(argc, argv);
  const auto world = Communicator::world();
  testing::InitGoogleTest(&argc, argv);
  if (!rank_count_is_right(world)) return kExitWrongRanks;
  return run_tests(world);
}
