#include "mpi/backends/nccl_backend.hpp"

#include <fmt/format.h>
#include <nccl.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "mpi/collectives.hpp"
#include "mpi/cuda_check.hpp"
#include "mpi/device.hpp"
#include "mpi/error.hpp"

namespace ringpose::mpi {

namespace {

void check_nccl(ncclResult_t code, const char* call, std::source_location where = std::source_location::current()) {
  if (code == ncclSuccess) return;
  const char* detail = ncclGetLastError(nullptr);
  throw DeviceError(fmt::format("{} failed: {} ({}) ({}:{}). NCCL_DEBUG=INFO shows more.", call,
                                ncclGetErrorString(code), detail != nullptr && *detail != '\0' ? detail : "no detail",
                                where.file_name(), where.line()));
}

ncclDataType_t nccl_type(DataType type) {
  switch (type) {
    case DataType::u8:
      return ncclUint8;
    case DataType::i32:
      return ncclInt32;
    case DataType::i64:
      return ncclInt64;
    case DataType::f16:
      return ncclFloat16;
    case DataType::bf16:
      return ncclBfloat16;
    case DataType::f32:
      return ncclFloat32;
    case DataType::f64:
      return ncclFloat64;
  }
  throw DeviceError(fmt::format("unknown data type {}", static_cast<int>(type)));
}

ncclRedOp_t nccl_operation(ReduceOp op) {
  switch (op) {
    case ReduceOp::sum:
      return ncclSum;
    case ReduceOp::min:
      return ncclMin;
    case ReduceOp::max:
      return ncclMax;
  }
  throw DeviceError(fmt::format("unknown reduction {}", static_cast<int>(op)));
}

/// Owns a cudaEvent_t without timing.
class Event {
 public:
  Event() { check_cuda(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "cudaEventCreateWithFlags"); }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  void record(cudaStream_t stream) { check_cuda(cudaEventRecord(event_, stream), "cudaEventRecord"); }
  void hold(cudaStream_t stream) const { check_cuda(cudaStreamWaitEvent(stream, event_, 0), "cudaStreamWaitEvent"); }

 private:
  cudaEvent_t event_ = nullptr;
};

/// Owns a stream that does not wait for the legacy default stream. Highest priority: transfers overlap with the
/// backward pass.
class CommunicationStream {
 public:
  CommunicationStream() {
    int least = 0;
    int greatest = 0;
    check_cuda(cudaDeviceGetStreamPriorityRange(&least, &greatest), "cudaDeviceGetStreamPriorityRange");
    check_cuda(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, greatest), "cudaStreamCreateWithPriority");
  }
  ~CommunicationStream() { cudaStreamDestroy(stream_); }
  CommunicationStream(const CommunicationStream&) = delete;
  CommunicationStream& operator=(const CommunicationStream&) = delete;
  [[nodiscard]] cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// Owns an ncclComm_t. finish() ends it in order; the destructor aborts, which needs no other rank.
class NcclCommunicator {
 public:
  NcclCommunicator(const Communicator& communicator, const ncclUniqueId& id) {
    check_nccl(ncclCommInitRank(&handle_, communicator.size(), id, communicator.rank()), "ncclCommInitRank");
  }
  ~NcclCommunicator() {
    if (handle_ != nullptr) ncclCommAbort(handle_);
  }
  NcclCommunicator(const NcclCommunicator&) = delete;
  NcclCommunicator& operator=(const NcclCommunicator&) = delete;
  [[nodiscard]] ncclComm_t get() const {
    if (handle_ == nullptr) throw DeviceError("a collective was called after finish() of the NCCL backend.");
    return handle_;
  }
  /// Throws what NCCL found wrong in the background, for example a lost connection.
  void check_background() const {
    ncclResult_t background = ncclSuccess;
    check_nccl(ncclCommGetAsyncError(get(), &background), "ncclCommGetAsyncError");
    check_nccl(background, "a queued NCCL collective");
  }
  void destroy() { check_nccl(ncclCommDestroy(std::exchange(handle_, nullptr)), "ncclCommDestroy"); }
  [[nodiscard]] bool alive() const { return handle_ != nullptr; }

 private:
  ncclComm_t handle_ = nullptr;
};

class NcclWork final : public Work {
 public:
  explicit NcclWork(const NcclCommunicator& communicator) : communicator_(communicator) {}
  void record(cudaStream_t stream) { done_.record(stream); }
  void wait(StreamHandle stream) override {
    communicator_.check_background();
    done_.hold(static_cast<cudaStream_t>(stream));
  }

 private:
  const NcclCommunicator& communicator_;
  Event done_;
};

class NcclBackend final : public Backend {
 public:
  NcclBackend(const Communicator& communicator, const ncclUniqueId& id, int device_ordinal)
      : device_ordinal_(device_ordinal), communicator_(communicator, id) {}

  [[nodiscard]] std::string name() const override { return "nccl"; }

  [[nodiscard]] std::unique_ptr<Work> all_reduce(DeviceSpan span, ReduceOp op, StreamHandle after) override {
    return queue(after, "ncclAllReduce", [&](ncclComm_t communicator, cudaStream_t stream) {
      return ncclAllReduce(span.data, span.data, span.count, nccl_type(span.type), nccl_operation(op), communicator,
                           stream);
    });
  }

  [[nodiscard]] std::unique_ptr<Work> broadcast(DeviceSpan span, int root, StreamHandle after) override {
    return queue(after, "ncclBroadcast", [&](ncclComm_t communicator, cudaStream_t stream) {
      return ncclBroadcast(span.data, span.data, span.count, nccl_type(span.type), root, communicator, stream);
    });
  }

  void finish() override {
    if (!communicator_.alive()) return;
    set_device(device_ordinal_);
    wait_for_stream();
    communicator_.destroy();
  }

 private:
  /// Queues a collective behind all that `after` holds so far.
  template <typename Call>
  std::unique_ptr<Work> queue(StreamHandle after, const char* name, Call call) {
    set_device(device_ordinal_);  // autograd's threads have a current device of their own
    auto work = std::make_unique<NcclWork>(communicator_);
    ready_.record(static_cast<cudaStream_t>(after));
    ready_.hold(stream_.get());
    check_nccl(call(communicator_.get(), stream_.get()), name);
    work->record(stream_.get());
    return work;
  }

  /// Polls, since cudaStreamSynchronize never returns when another rank is lost.
  void wait_for_stream() {
    using namespace std::chrono_literals;
    while (true) {
      const cudaError_t state = cudaStreamQuery(stream_.get());
      if (state == cudaSuccess) return;
      if (state != cudaErrorNotReady) check_cuda(state, "cudaStreamQuery");
      communicator_.check_background();
      std::this_thread::sleep_for(100us);
    }
  }

  int device_ordinal_;
  CommunicationStream stream_;  // outlives the communicator, whose kernels run on it
  Event ready_;
  NcclCommunicator communicator_;
};

/// PCI bus ids of the GPUs of this node's ranks, in rank order; empty text for a rank without GPU.
std::vector<std::string> gather_bus_ids(const Communicator& node, int device_ordinal) {
  using Text = std::array<char, 32>;
  Text mine{};
  if (device_ordinal >= 0 && device_ordinal < device_count()) {
    const std::string id = device_pci_bus_id(device_ordinal);
    std::copy_n(id.begin(), std::min(id.size(), mine.size() - 1), mine.begin());
  }
  std::vector<Text> all(static_cast<std::size_t>(node.size()));
  check_mpi(MPI_Allgather(mine.data(), sizeof(Text), MPI_CHAR, all.data(), sizeof(Text), MPI_CHAR, node.handle()),
            "MPI_Allgather");
  std::vector<std::string> ids;
  for (const Text& text : all) ids.emplace_back(text.data());
  return ids;
}

/// NCCL needs a GPU of its own for each rank; its own message for two ranks on one GPU is hard to read.
void check_devices(const Communicator& communicator, int device_ordinal) {
  const Communicator node = communicator.split_shared();
  const auto ids = gather_bus_ids(node, device_ordinal);
  for (std::size_t rank = 0; rank < ids.size(); ++rank) {
    if (ids[rank].empty())
      throw DeviceError(
          fmt::format("the NCCL backend needs a GPU for each rank, but local rank {} of {} has none (asked for CUDA "
                      "device {}, {} visible): "
                      "check nvidia-smi and CUDA_VISIBLE_DEVICES, or start fewer ranks on this node.",
                      rank, ids.size(), device_ordinal, device_count()));
    const auto earlier = std::find(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(rank), ids[rank]);
    if (earlier != ids.begin() + static_cast<std::ptrdiff_t>(rank))
      throw DeviceError(fmt::format(
          "local ranks {} and {} would share GPU {}: start one rank per GPU on this node ({} ranks, {} GPUs visible).",
          earlier - ids.begin(), rank, ids[rank], ids.size(), device_count()));
  }
}

void check_versions(const Communicator& communicator) {
  int version = 0;
  check_nccl(ncclGetVersion(&version), "ncclGetVersion");
  if (!all_equal(communicator, static_cast<std::uint64_t>(version)))
    throw DeviceError(fmt::format("ranks run different NCCL versions; rank {} has {}. Use one version on all nodes.",
                                  communicator.rank(), version));
}

ncclUniqueId share_unique_id(const Communicator& communicator) {
  ncclUniqueId id{};
  if (communicator.rank() == 0) check_nccl(ncclGetUniqueId(&id), "ncclGetUniqueId");
  broadcast(communicator, std::as_writable_bytes(std::span(&id, 1)), 0);
  return id;
}

}  // namespace

std::unique_ptr<Backend> make_nccl_backend(const Communicator& communicator, int device_ordinal) {
  check_devices(communicator, device_ordinal);
  check_versions(communicator);
  set_device(device_ordinal);
  return std::make_unique<NcclBackend>(communicator, share_unique_id(communicator), device_ordinal);
}

}  // namespace ringpose::mpi
