#include "mpi/communicator.hpp"

#include <utility>

#include "mpi/error.hpp"

namespace ringpose::mpi {

Communicator Communicator::world() {
  MPI_Comm duplicate = MPI_COMM_NULL;
  check_mpi(MPI_Comm_dup(MPI_COMM_WORLD, &duplicate), "MPI_Comm_dup");
  return Communicator(duplicate);
}

Communicator Communicator::split_shared() const {
  MPI_Comm part = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split_type(handle_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &part), "MPI_Comm_split_type");
  return Communicator(part);
}

Communicator::Communicator(MPI_Comm owned) : handle_(owned) {
  check_mpi(MPI_Comm_set_errhandler(handle_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check_mpi(MPI_Comm_rank(handle_, &rank_), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(handle_, &size_), "MPI_Comm_size");
}

Communicator::~Communicator() {
  release();
}

Communicator::Communicator(Communicator&& other) noexcept
    : handle_(std::exchange(other.handle_, MPI_COMM_NULL)), rank_(other.rank_), size_(other.size_) {}

Communicator& Communicator::operator=(Communicator&& other) noexcept {
  if (this == &other) return *this;
  release();
  handle_ = std::exchange(other.handle_, MPI_COMM_NULL);
  rank_ = other.rank_;
  size_ = other.size_;
  return *this;
}

void Communicator::release() noexcept {
  // MPI_Comm_free is collective: a rank that unwinds would wait for ranks that never come.
  if (handle_ == MPI_COMM_NULL || unwind_.unwinding()) return;
  MPI_Comm_free(&handle_);
}

}  // namespace ringpose::mpi
