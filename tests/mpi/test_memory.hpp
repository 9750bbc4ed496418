// Memory and streams that the backend conformance tests work on: host memory for MPI, GPU memory for NCCL.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mpi/backend.hpp"
#include "mpi/communicator.hpp"

namespace ringpose::test {

/// Bytes where a backend can reach them. write() and read() keep the order of the place's stream.
class TestMemory {
 public:
  virtual ~TestMemory() = default;
  [[nodiscard]] virtual void* data() = 0;
  /// Queued on the stream behind `delay` of other work where there is a stream.
  virtual void write(std::span<const std::byte> bytes) = 0;
  [[nodiscard]] virtual std::vector<std::byte> read() = 0;
};

/// Where the collectives happen.
class TestPlace {
 public:
  virtual ~TestPlace() = default;
  [[nodiscard]] virtual std::unique_ptr<TestMemory> allocate(std::size_t bytes) = 0;
  [[nodiscard]] virtual mpi::StreamHandle stream() = 0;
  /// Keeps the stream busy for a few milliseconds, so that a collective that does not wait for it reads old values.
  virtual void delay() = 0;
  [[nodiscard]] virtual int device_ordinal() const = 0;
};

/// Why the GPU tests cannot run here (the same answer on all ranks); empty where they can. Collective.
[[nodiscard]] std::optional<std::string> gpu_obstacle(const mpi::Communicator& world);
/// Only where gpu_obstacle() is empty. gpu_memory.cpp in a CUDA build, gpu_memory_unavailable.cpp otherwise.
[[nodiscard]] std::unique_ptr<TestPlace> make_gpu_place(int device_ordinal);

}  // namespace ringpose::test
