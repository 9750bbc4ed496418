#include "mpi/backends/mpi_backend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "mpi/error.hpp"
#include "mpi/half.hpp"
#include "mpi/pieces.hpp"
#include "mpi/unwinding.hpp"

namespace ringpose::mpi {

namespace {

struct Sum {
  static float apply(float a, float b) { return a + b; }
};
struct Min {
  static float apply(float a, float b) { return std::min(a, b); }
};
struct Max {
  static float apply(float a, float b) { return std::max(a, b); }
};

/// MPI_User_function for 16-bit floats, which MPI does not know.
template <float (*FromBits)(std::uint16_t), std::uint16_t (*ToBits)(float), typename Combine>
void reduce_16_bit(void* incoming, void* result, int* length, MPI_Datatype*) {
  const auto* in = static_cast<const std::uint16_t*>(incoming);
  auto* out = static_cast<std::uint16_t*>(result);
  for (int i = 0; i < *length; ++i) out[i] = ToBits(Combine::apply(FromBits(in[i]), FromBits(out[i])));
}

MPI_Op make_operation(MPI_User_function* function) {
  MPI_Op operation = MPI_OP_NULL;
  check_mpi(MPI_Op_create(function, /*commute=*/1, &operation), "MPI_Op_create");
  return operation;
}

template <float (*FromBits)(std::uint16_t), std::uint16_t (*ToBits)(float)>
std::array<MPI_Op, 3> make_operations() {
  static_assert(int(ReduceOp::sum) == 0 && int(ReduceOp::min) == 1 && int(ReduceOp::max) == 2);
  return {make_operation(&reduce_16_bit<FromBits, ToBits, Sum>), make_operation(&reduce_16_bit<FromBits, ToBits, Min>),
          make_operation(&reduce_16_bit<FromBits, ToBits, Max>)};
}

MPI_Datatype mpi_type(DataType type) {
  switch (type) {
    case DataType::u8:
      return MPI_UINT8_T;
    case DataType::i32:
      return MPI_INT32_T;
    case DataType::i64:
      return MPI_INT64_T;
    case DataType::f16:
    case DataType::bf16:
      return MPI_UINT16_T;  // carries the bits; the operation interprets them
    case DataType::f32:
      return MPI_FLOAT;
    case DataType::f64:
      return MPI_DOUBLE;
  }
  throw MpiError(fmt::format("unknown data type {}", static_cast<int>(type)));
}

/// Requests of one collective, one for each piece.
class MpiWork final : public Work {
 public:
  explicit MpiWork(std::vector<MPI_Request> requests) : requests_(std::move(requests)) {}
  ~MpiWork() override {
    // MPI has no way to cancel a collective. Waiting while unwinding could last for ever, since other ranks may not
    // take part.
    if (!unwind_.unwinding() && !requests_.empty())
      MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  }
  MpiWork(const MpiWork&) = delete;
  MpiWork& operator=(const MpiWork&) = delete;

  void wait(StreamHandle) override {
    const int code = MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    requests_.clear();
    check_mpi(code, "MPI_Waitall");
  }

 private:
  std::vector<MPI_Request> requests_;
  UnwindDetector unwind_;
};

void check_span(const DeviceSpan& span) {
  if (span.data == nullptr && span.count > 0)
    throw MpiError(
        fmt::format("a collective on {} {} values was given a null pointer", span.count, name_of(span.type)));
}

/// The same, advanced by the progress thread.
class ProgressingWork final : public Work {
 public:
  ProgressingWork(ProgressThread& progress, std::vector<MPI_Request> requests)
      : progress_(progress), pending_(progress.add(std::move(requests))) {}
  ~ProgressingWork() override {
    if (!unwind_.unwinding() && pending_) (void)progress_.wait(*pending_);
  }
  ProgressingWork(const ProgressingWork&) = delete;
  ProgressingWork& operator=(const ProgressingWork&) = delete;
  void wait(StreamHandle) override {
    if (pending_) check_mpi(progress_.wait(*std::exchange(pending_, nullptr)), "MPI_Testall");
  }

 private:
  ProgressThread& progress_;
  std::shared_ptr<PendingRequests> pending_;
  UnwindDetector unwind_;
};

bool may_have_progress_thread(const Communicator& communicator) {
  int level = MPI_THREAD_SINGLE;
  check_mpi(MPI_Query_thread(&level), "MPI_Query_thread");
  return level == MPI_THREAD_MULTIPLE && communicator.size() > 1;
}

}  // namespace

MpiBackend::MpiBackend(const Communicator& communicator)
    : communicator_(communicator),
      f16_operations_(make_operations<from_f16, to_f16>()),
      bf16_operations_(make_operations<from_bf16, to_bf16>()),
      progress_(may_have_progress_thread(communicator) ? std::make_unique<ProgressThread>() : nullptr) {}

MpiBackend::~MpiBackend() {
  for (MPI_Op& operation : f16_operations_) MPI_Op_free(&operation);
  for (MPI_Op& operation : bf16_operations_) MPI_Op_free(&operation);
}

template <typename Start>
std::unique_ptr<Work> MpiBackend::start_pieces(const DeviceSpan& span, const char* call, Start start) {
  check_span(span);
  std::vector<MPI_Request> requests;
  requests.reserve(span.count / kPieceElements + 1);  // first, so that no started request is lost by an exception
  for_each_piece(span.count, kPieceElements, [&](std::size_t offset, int length) {
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(start(static_cast<std::byte*>(span.data) + offset * bytes_of(span.type), length, &request), call);
    requests.push_back(request);
  });
  if (progress_) return std::make_unique<ProgressingWork>(*progress_, std::move(requests));
  return std::make_unique<MpiWork>(std::move(requests));
}

MPI_Op MpiBackend::operation(DataType type, ReduceOp op) const {
  const std::array<MPI_Op, 3> built_in = {MPI_SUM, MPI_MIN, MPI_MAX};
  const auto index = static_cast<std::size_t>(op);
  if (index >= built_in.size()) throw MpiError(fmt::format("unknown reduction {}", index));
  if (type == DataType::f16) return f16_operations_[index];
  if (type == DataType::bf16) return bf16_operations_[index];
  return built_in[index];
}

std::unique_ptr<Work> MpiBackend::all_reduce(DeviceSpan span, ReduceOp op, StreamHandle) {
  const MPI_Op reduction = operation(span.type, op);
  return start_pieces(span, "MPI_Iallreduce", [&](std::byte* data, int length, MPI_Request* request) {
    return MPI_Iallreduce(MPI_IN_PLACE, data, length, mpi_type(span.type), reduction, communicator_.handle(), request);
  });
}

std::unique_ptr<Work> MpiBackend::broadcast(DeviceSpan span, int root, StreamHandle) {
  return start_pieces(span, "MPI_Ibcast", [&](std::byte* data, int length, MPI_Request* request) {
    return MPI_Ibcast(data, length, mpi_type(span.type), root, communicator_.handle(), request);
  });
}

}  // namespace ringpose::mpi
