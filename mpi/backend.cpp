#include "mpi/backend.hpp"

#include "mpi/backends/mpi_backend.hpp"
#include "mpi/backends/nccl_backend.hpp"

namespace ringpose::mpi {

namespace {

struct TypeFacts {
  std::size_t bytes;
  const char* name;
};

TypeFacts facts(DataType type) {
  switch (type) {
    case DataType::u8:
      return {1, "u8"};
    case DataType::i32:
      return {4, "i32"};
    case DataType::i64:
      return {8, "i64"};
    case DataType::f16:
      return {2, "f16"};
    case DataType::bf16:
      return {2, "bf16"};
    case DataType::f32:
      return {4, "f32"};
    case DataType::f64:
      return {8, "f64"};
  }
  return {0, "unknown"};
}

}  // namespace

std::size_t bytes_of(DataType type) {
  return facts(type).bytes;
}

const char* name_of(DataType type) {
  return facts(type).name;
}

std::unique_ptr<Backend> make_backend(BackendKind kind, const Communicator& communicator, int device_ordinal) {
  if (kind == BackendKind::nccl) return make_nccl_backend(communicator, device_ordinal);
  return std::make_unique<MpiBackend>(communicator);
}

}  // namespace ringpose::mpi
