// Collectives on host memory through non-blocking MPI calls.
#pragma once
#include <mpi.h>

#include <array>
#include <memory>
#include <string>

#include "mpi/backend.hpp"
#include "mpi/progress_thread.hpp"

namespace ringpose::mpi {

/// One thread at a time. Under MPI_THREAD_MULTIPLE a thread of the backend advances what was started. Sums of f16 and
/// bf16 are formed in float and rounded once per addition.
class MpiBackend final : public Backend {
 public:
  explicit MpiBackend(const Communicator& communicator);
  ~MpiBackend() override;
  MpiBackend(const MpiBackend&) = delete;
  MpiBackend& operator=(const MpiBackend&) = delete;

  [[nodiscard]] std::string name() const override { return "mpi"; }
  [[nodiscard]] std::unique_ptr<Work> all_reduce(DeviceSpan span, ReduceOp op, StreamHandle after) override;
  [[nodiscard]] std::unique_ptr<Work> broadcast(DeviceSpan span, int root, StreamHandle after) override;
  void finish() override {}

 private:
  /// The pending collective that start(data, length, &request) begins for each piece of the span.
  template <typename Start>
  [[nodiscard]] std::unique_ptr<Work> start_pieces(const DeviceSpan& span, const char* call, Start start);
  [[nodiscard]] MPI_Op operation(DataType type, ReduceOp op) const;

  const Communicator& communicator_;
  std::array<MPI_Op, 3> f16_operations_;  // indexed by ReduceOp
  std::array<MPI_Op, 3> bf16_operations_;
  std::unique_ptr<ProgressThread> progress_;  // null below MPI_THREAD_MULTIPLE and for a single rank
};

}  // namespace ringpose::mpi
