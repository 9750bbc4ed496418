#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>

#include "mpi/collectives.hpp"
#include "mpi/cuda_check.hpp"
#include "mpi/device.hpp"
#include "mpi/placement.hpp"
#include "tests/mpi/test_memory.hpp"

namespace ringpose::test {

namespace {

using mpi::check_cuda;

class GpuMemory final : public TestMemory {
 public:
  GpuMemory(std::size_t bytes, cudaStream_t stream) : bytes_(bytes), stream_(stream) {
    const std::size_t room = std::max<std::size_t>(bytes, 1);
    check_cuda(cudaMalloc(&data_, room), "cudaMalloc");
    check_cuda(cudaMallocHost(&staging_, room), "cudaMallocHost");
    check_cuda(cudaMemset(data_, 0, room), "cudaMemset");
    check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }
  ~GpuMemory() override {
    cudaStreamSynchronize(stream_);
    cudaFree(data_);
    cudaFreeHost(staging_);
  }
  GpuMemory(const GpuMemory&) = delete;
  GpuMemory& operator=(const GpuMemory&) = delete;
  void* data() override { return data_; }
  void write(std::span<const std::byte> bytes) override {
    std::copy(bytes.begin(), bytes.end(), static_cast<std::byte*>(staging_));
    check_cuda(cudaMemcpyAsync(data_, staging_, bytes.size(), cudaMemcpyHostToDevice, stream_), "cudaMemcpyAsync");
  }
  std::vector<std::byte> read() override {
    check_cuda(cudaMemcpyAsync(staging_, data_, bytes_, cudaMemcpyDeviceToHost, stream_), "cudaMemcpyAsync");
    check_cuda(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
    const auto* bytes = static_cast<const std::byte*>(staging_);
    return {bytes, bytes + bytes_};
  }

 private:
  std::size_t bytes_;
  cudaStream_t stream_;
  void* data_ = nullptr;
  void* staging_ = nullptr;  // pinned: a copy from pageable memory would wait for the stream
};

class GpuPlace final : public TestPlace {
 public:
  explicit GpuPlace(int ordinal) : ordinal_(ordinal) {
    mpi::set_device(ordinal);
    check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    check_cuda(cudaMalloc(&scratch_, kScratchBytes), "cudaMalloc");
  }
  ~GpuPlace() override {
    cudaFree(scratch_);
    cudaStreamDestroy(stream_);
  }
  GpuPlace(const GpuPlace&) = delete;
  GpuPlace& operator=(const GpuPlace&) = delete;
  std::unique_ptr<TestMemory> allocate(std::size_t bytes) override {
    return std::make_unique<GpuMemory>(bytes, stream_);
  }
  mpi::StreamHandle stream() override { return stream_; }
  void delay() override {
    constexpr int kFills = 20;  // about 3 ms at 2 TB/s
    for (int i = 0; i < kFills; ++i)
      check_cuda(cudaMemsetAsync(scratch_, i, kScratchBytes, stream_), "cudaMemsetAsync");
  }
  int device_ordinal() const override { return ordinal_; }

 private:
  static constexpr std::size_t kScratchBytes = std::size_t{256} << 20;
  int ordinal_;
  cudaStream_t stream_ = nullptr;
  void* scratch_ = nullptr;
};

}  // namespace

std::optional<std::string> gpu_obstacle(const mpi::Communicator& world) {
  const auto placement = mpi::place_rank(world);
  std::int64_t missing = std::max(0, placement.local_size - placement.device_count);
  mpi::all_reduce(world, std::span<std::int64_t>(&missing, 1), mpi::ReduceOp::max);
  if (missing == 0) return std::nullopt;
  return "needs a GPU for each rank; " + std::to_string(missing) + " missing on a node";
}

std::unique_ptr<TestPlace> make_gpu_place(int device_ordinal) {
  return std::make_unique<GpuPlace>(device_ordinal);
}

}  // namespace ringpose::test
