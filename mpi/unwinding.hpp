// Tells a destructor whether an exception is passing through.
#pragma once
#include <exception>

namespace ringpose::mpi {

/// Member of an object whose destructor communicates: other ranks may never reach the matching call while this one
/// unwinds.
class UnwindDetector {
 public:
  [[nodiscard]] bool unwinding() const noexcept { return std::uncaught_exceptions() > at_construction_; }

 private:
  int at_construction_ = std::uncaught_exceptions();
};

}  // namespace ringpose::mpi
