// A group of ranks.
#pragma once
#include <mpi.h>

#include "mpi/unwinding.hpp"

namespace ringpose::mpi {

/// Owns a duplicate of an MPI communicator, with MPI_ERRORS_RETURN. Move-only; the Environment must outlive it.
/// Made and destroyed by all its ranks together; while unwinding the handle is left to the end of the process.
class Communicator {
 public:
  /// Duplicate of MPI_COMM_WORLD.
  static Communicator world();
  /// Ranks that share this rank's memory (one node), ordered by rank.
  [[nodiscard]] Communicator split_shared() const;
  ~Communicator();
  Communicator(Communicator&& other) noexcept;
  Communicator& operator=(Communicator&& other) noexcept;

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] MPI_Comm handle() const { return handle_; }

 private:
  explicit Communicator(MPI_Comm owned);
  void release() noexcept;
  MPI_Comm handle_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
  UnwindDetector unwind_;
};

}  // namespace ringpose::mpi
