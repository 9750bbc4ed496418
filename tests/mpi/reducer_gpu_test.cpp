// Gradient sums beside backward on GPUs: the order of streams, and NCCL from autograd's own thread. Needs a GPU for
// each rank; skips with a message elsewhere.
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

#include "mpi/backend.hpp"
#include "mpi/placement.hpp"
#include "tests/mpi/test_memory.hpp"
#include "trainer/gradient_reducer.hpp"

namespace ringpose::trainer {
namespace {

/// Doubles each bucket on a stream of its own, late: reads too early what backward has not written yet, unless it waits
/// for `after`, and is read too early itself, unless wait() is called.
class LateDoubling final : public mpi::Backend {
 public:
  explicit LateDoubling(int device) : stream_(c10::cuda::getStreamFromPool(true, static_cast<signed char>(device))) {}
  [[nodiscard]] std::string name() const override { return "late doubling"; }
  [[nodiscard]] std::unique_ptr<mpi::Work> all_reduce(mpi::DeviceSpan span, mpi::ReduceOp,
                                                      mpi::StreamHandle after) override {
    order(static_cast<cudaStream_t>(after), stream_.stream());
    const c10::cuda::CUDAStreamGuard guard(stream_);
    torch::Tensor busy = torch::ones({3000, 3000}, torch::kCUDA);
    for (int i = 0; i < 20; ++i) busy = torch::matmul(busy, busy) * 1e-4;
    torch::from_blob(span.data, {static_cast<std::int64_t>(span.count)}, torch::kCUDA).mul_(2);
    return std::make_unique<Pending>(stream_.stream());
  }
  [[nodiscard]] std::unique_ptr<mpi::Work> broadcast(mpi::DeviceSpan, int, mpi::StreamHandle) override {
    return nullptr;
  }
  void finish() override {}

 private:
  static void order(cudaStream_t first, cudaStream_t second) {
    cudaEvent_t event = nullptr;
    ASSERT_EQ(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), cudaSuccess);
    ASSERT_EQ(cudaEventRecord(event, first), cudaSuccess);
    ASSERT_EQ(cudaStreamWaitEvent(second, event, 0), cudaSuccess);
    ASSERT_EQ(cudaEventDestroy(event), cudaSuccess);  // freed once the wait is over
  }
  struct Pending final : mpi::Work {
    explicit Pending(cudaStream_t s) : stream(s) {}
    void wait(mpi::StreamHandle waiting) override { order(stream, static_cast<cudaStream_t>(waiting)); }
    cudaStream_t stream;
  };
  c10::cuda::CUDAStream stream_;
};

/// A chain whose backward pass takes a while; its gradients by autograd alone are the reference.
struct DeepChain {
  explicit DeepChain(int layers) {
    torch::manual_seed(5);
    for (int i = 0; i < layers; ++i)
      parameters.push_back((0.02 * torch::randn({1024, 1024})).to(torch::kCUDA).detach().requires_grad_());
  }
  [[nodiscard]] torch::Tensor loss(const torch::Tensor& input) const {
    torch::Tensor x = input;
    for (const torch::Tensor& parameter : parameters) x = torch::tanh(torch::matmul(x, parameter));
    return x.pow(2).sum();
  }
  std::vector<torch::Tensor> parameters;
};

class GradientReducerGpu : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto obstacle = test::gpu_obstacle(world_)) GTEST_SKIP() << *obstacle;
    device_ = mpi::place_rank(world_).device_ordinal;
    c10::cuda::set_device(static_cast<signed char>(device_));
  }
  mpi::Communicator world_ = mpi::Communicator::world();
  int device_ = -1;
};

TEST_F(GradientReducerGpu, OrdersItsStreamsBehindBackwardAndBeforeTheUpdate) {
  for (const bool overlap : {true, false}) {
    DeepChain chain(8), alone(8);
    LateDoubling backend(device_);
    GradientReducer reducer(chain.parameters, &backend, {std::size_t{9} << 20, std::size_t{4} << 20, overlap});
    for (int step = 0; step < 3; ++step) {
      const torch::Tensor input = torch::randn({256, 1024}, torch::kCUDA);
      for (torch::Tensor& parameter : alone.parameters) parameter.mutable_grad() = torch::Tensor();
      alone.loss(input).backward();
      reducer.zero_gradients();
      reducer.overlap_next_backward();
      chain.loss(input).backward();
      reducer.reduce();
      EXPECT_EQ(reducer.overlapped_buckets(), overlap ? reducer.bucket_count() : 0u);
      for (std::size_t i = 0; i < chain.parameters.size(); ++i)
        EXPECT_TRUE(torch::equal(chain.parameters[i].grad(), 2 * alone.parameters[i].grad()))
            << "parameter " << i << " step " << step << " overlap " << overlap;
    }
  }
}

TEST_F(GradientReducerGpu, NcclSumsFromAutogradsThread) {
  const auto backend = mpi::make_backend(mpi::BackendKind::nccl, world_, device_);
  std::vector<torch::Tensor> parameters;
  for (int i = 0; i < 5; ++i) parameters.push_back(torch::zeros({1000 * i + 1}, torch::kCUDA).requires_grad_());
  {
    GradientReducer reducer(parameters, backend.get(), {4096, 512});
    for (int step = 0; step < 20; ++step) {
      reducer.zero_gradients();
      reducer.overlap_next_backward();
      torch::Tensor loss = torch::zeros({}, torch::kCUDA);
      for (int i = 0; i < 5; ++i) {
        const torch::Tensor factor = torch::arange(1000 * i + 1, torch::kCUDA) + (1000 * i + world_.rank() + step);
        loss = loss + (parameters[i] * factor).sum();  // the gradient is the factor
      }
      loss.backward();
      reducer.reduce();
      EXPECT_EQ(reducer.overlapped_buckets(), reducer.bucket_count());
      const int n = world_.size();
      for (int i = 0; i < 5; ++i) {  // sum over r of (index + 1000 i + r + step)
        const torch::Tensor expected =
            n * (torch::arange(1000 * i + 1, torch::kCUDA) + (1000 * i + step)) + n * (n - 1) / 2;
        EXPECT_TRUE(torch::equal(parameters[i].grad(), expected.to(torch::kFloat32))) << "parameter " << i;
      }
    }
  }
  backend->finish();
}

}  // namespace
}  // namespace ringpose::trainer
