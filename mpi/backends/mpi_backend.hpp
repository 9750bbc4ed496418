// Collectives on host memory through non-blocking MPI calls.
#pragma once
#include <mpi.h>

#include <array>
#include <memory>
#include <string>

#include "mpi/backend.hpp"

namespace ringpose::mpi {

/// One thread at a time. Sums of f16 and bf16 are formed in float and rounded once per addition.
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
  [[nodiscard]] MPI_Op operation(DataType type, ReduceOp op) const;

  const Communicator& communicator_;
  std::array<MPI_Op, 3> f16_operations_;  // indexed by ReduceOp
  std::array<MPI_Op, 3> bf16_operations_;
};

}  // namespace ringpose::mpi
