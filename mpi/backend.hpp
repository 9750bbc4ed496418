// Collectives on tensors' memory: MPI for host memory, NCCL for GPU memory, behind one small interface.
// All ranks issue the same calls in the same order.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "mpi/collectives.hpp"
#include "mpi/communicator.hpp"

namespace ringpose::mpi {

enum class DataType { u8, i32, i64, f16, bf16, f32, f64 };
[[nodiscard]] std::size_t bytes_of(DataType type);
[[nodiscard]] const char* name_of(DataType type);

/// Memory a backend works on, in place. Does not own.
struct DeviceSpan {
  void* data = nullptr;
  std::size_t count = 0;  ///< elements
  DataType type = DataType::f32;
};

/// cudaStream_t of the caller, as an opaque pointer; ignored by host backends.
using StreamHandle = void*;

/// A pending collective. Move-only in spirit: wait() once before reading the memory; destroying it without wait() is
/// allowed.
class Work {
 public:
  virtual ~Work() = default;
  /// Host backend: blocks until done. GPU backend: makes `stream` wait; the host does not block. Throws MpiError or
  /// DeviceError.
  virtual void wait(StreamHandle stream) = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;
  [[nodiscard]] virtual std::string name() const = 0;  ///< "mpi" or "nccl"
  /// `after`: work queued on this stream so far is finished before the collective reads the memory.
  [[nodiscard]] virtual std::unique_ptr<Work> all_reduce(DeviceSpan span, ReduceOp op, StreamHandle after) = 0;
  [[nodiscard]] virtual std::unique_ptr<Work> broadcast(DeviceSpan span, int root, StreamHandle after) = 0;
  /// Orderly end: all ranks call it after the last wait. The destructor aborts what is left instead.
  virtual void finish() = 0;
};

enum class BackendKind { mpi, nccl };

/// `device_ordinal`: the CUDA device for nccl (already chosen by the caller); ignored for mpi.
/// Throws DeviceError for nccl in a build without CUDA. The communicator must outlive the backend.
[[nodiscard]] std::unique_ptr<Backend> make_backend(BackendKind kind, const Communicator& communicator,
                                                    int device_ordinal);

}  // namespace ringpose::mpi
