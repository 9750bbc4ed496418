#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>

#include "mpi/unwinding.hpp"

namespace {

using ringpose::mpi::UnwindDetector;

/// Notes on destruction whether an exception passes through.
class Probe {
 public:
  explicit Probe(std::optional<bool>& seen) : seen_(seen) {}
  ~Probe() { seen_ = detector_.unwinding(); }

 private:
  std::optional<bool>& seen_;
  UnwindDetector detector_;
};

TEST(UnwindDetector, SeesAnExceptionPassing) {
  std::optional<bool> seen;
  try {
    const Probe probe(seen);
    throw std::runtime_error("passing");
  } catch (const std::runtime_error&) {
  }
  EXPECT_EQ(seen, true);
}

TEST(UnwindDetector, SeesAnOrderlyEnd) {
  std::optional<bool> seen;
  { const Probe probe(seen); }
  EXPECT_EQ(seen, false);
}

/// An object that lives and dies inside a destructor called by unwinding ends in order.
TEST(UnwindDetector, IgnoresExceptionsOlderThanItself) {
  struct Outer {
    std::optional<bool>& seen;
    ~Outer() { const Probe probe(seen); }
  };
  std::optional<bool> seen;
  try {
    const Outer outer{seen};
    throw std::runtime_error("passing");
  } catch (const std::runtime_error&) {
  }
  EXPECT_EQ(seen, false);
}

}  // namespace
