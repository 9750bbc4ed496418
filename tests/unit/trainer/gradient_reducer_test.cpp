#include "trainer/gradient_reducer.hpp"

#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <set>
#include <stdexcept>

#include "data/error.hpp"

namespace ringpose::trainer {
namespace {

/// What a broken transport or reducer would do to a sum.
enum class Fault { none, halved, sent_twice, late };

/// As if `ranks` ranks held the same: a sum multiplies what the bucket holds when it is sent. A gradient that comes
/// after its bucket was sent is therefore not multiplied.
class SameRanks final : public mpi::Backend {
 public:
  explicit SameRanks(int ranks, Fault fault = Fault::none) : ranks_(ranks), fault_(fault) {}
  [[nodiscard]] std::string name() const override { return "same ranks"; }
  [[nodiscard]] std::unique_ptr<mpi::Work> all_reduce(mpi::DeviceSpan span, mpi::ReduceOp, mpi::StreamHandle) override {
    sent.push_back(span.data);
    const double factor = fault_ == Fault::halved       ? ranks_ / 2.0
                          : fault_ == Fault::sent_twice ? ranks_ * ranks_
                                                        : ranks_;
    if (fault_ != Fault::late || sent.size() != 2) scale(span, static_cast<float>(factor));
    return std::make_unique<Done>();
  }
  [[nodiscard]] std::unique_ptr<mpi::Work> broadcast(mpi::DeviceSpan, int, mpi::StreamHandle) override {
    return std::make_unique<Done>();
  }
  void finish() override {}

  std::vector<void*> sent;  ///< buckets in the order of their sums

 private:
  struct Done final : mpi::Work {
    void wait(mpi::StreamHandle) override {}
  };
  static void scale(mpi::DeviceSpan span, float factor) {
    auto* values = static_cast<float*>(span.data);
    for (std::size_t i = 0; i < span.count; ++i) values[i] *= factor;
  }
  int ranks_;
  Fault fault_;
};

/// Four layers in a chain; backward reaches the last first.
struct Chain {
  Chain() {
    torch::manual_seed(3);
    for (int i = 0; i < 4; ++i) {
      parameters.push_back((0.3 * torch::randn({40, 40})).requires_grad_());
      parameters.push_back(torch::randn({40}).requires_grad_());
    }
  }
  [[nodiscard]] torch::Tensor loss(const torch::Tensor& input) const {
    torch::Tensor x = input;
    for (std::size_t i = 0; i < parameters.size(); i += 2)
      x = torch::tanh(torch::matmul(x, parameters[i].t()) + parameters[i + 1]);
    return x.pow(2).sum();
  }
  /// Gradients without any reducer.
  [[nodiscard]] std::vector<torch::Tensor> gradients(const torch::Tensor& input) const {
    std::vector<torch::Tensor> copies;
    Chain other;
    other.loss(input).backward();
    for (const torch::Tensor& parameter : other.parameters) copies.push_back(parameter.grad());
    return copies;
  }
  std::vector<torch::Tensor> parameters;
};

bool all_equal(const std::vector<torch::Tensor>& parameters, const std::vector<torch::Tensor>& gradients,
               float factor) {
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (!torch::equal(parameters[i].grad(), factor * gradients[i])) return false;
  return true;
}

constexpr std::size_t kLayerBytes =
    1700 * sizeof(float);  // a matrix (1664 with padding) fits, its vector (128) does not

TEST(GradientReducerOverlap, SumsWhileBackwardRunsAndGivesTheSameBits) {
  for (const bool overlap : {true, false}) {
    for (const std::size_t bytes : {std::size_t{512}, kLayerBytes, std::size_t{1} << 20}) {
      Chain chain;
      SameRanks backend(3);
      GradientReducer reducer(chain.parameters, &backend, {bytes, 512, overlap});
      for (int step = 0; step < 3; ++step) {
        const torch::Tensor input = torch::randn({5, 40});
        backend.sent.clear();
        reducer.zero_gradients();
        reducer.overlap_next_backward();
        chain.loss(input).backward();
        EXPECT_EQ(backend.sent.size(), overlap ? reducer.bucket_count() : 0u);
        reducer.reduce();
        EXPECT_EQ(backend.sent.size(), reducer.bucket_count());
        EXPECT_EQ(std::set<void*>(backend.sent.begin(), backend.sent.end()).size(), reducer.bucket_count());
        EXPECT_EQ(reducer.overlapped_buckets(), overlap ? reducer.bucket_count() : 0u);
        EXPECT_TRUE(all_equal(chain.parameters, chain.gradients(input), 3)) << bytes << " bytes, step " << step;
      }
    }
  }
}

TEST(GradientReducerOverlap, EveryFaultOfASumIsNoticed) {
  const torch::Tensor input = torch::randn({5, 40});
  for (const Fault fault : {Fault::none, Fault::halved, Fault::sent_twice, Fault::late}) {
    Chain chain;
    SameRanks backend(2, fault);
    GradientReducer reducer(chain.parameters, &backend, {kLayerBytes, 512});
    reducer.zero_gradients();
    reducer.overlap_next_backward();
    chain.loss(input).backward();
    reducer.reduce();
    EXPECT_EQ(all_equal(chain.parameters, chain.gradients(input), 2), fault == Fault::none)
        << "fault " << static_cast<int>(fault);
  }
}

TEST(GradientReducerOverlap, KeepsTheOrderOfBucketsWhateverOrderBackwardTakes) {
  // Registered first, used last: their gradients come first, but their bucket is the last one.
  std::vector<torch::Tensor> parameters;
  for (int i = 0; i < 6; ++i) parameters.push_back(torch::full({128}, 1.0F + i).requires_grad_());
  SameRanks backend(2);
  GradientReducer reducer(parameters, &backend, {512, 512});
  ASSERT_EQ(reducer.bucket_count(), 6u);
  reducer.zero_gradients();
  reducer.overlap_next_backward();
  torch::Tensor x = torch::ones({128});
  for (int i = 5; i >= 0; --i) x = x * parameters[i];
  x.sum().backward();
  reducer.reduce();
  for (int i = 0; i < 6; ++i) EXPECT_EQ(backend.sent[i], parameters[5 - i].grad().data_ptr());
  for (int i = 0; i < 6; ++i)  // d/dp_i of the product 720 is 720 / p_i
    EXPECT_TRUE(torch::allclose(parameters[i].grad(), torch::full({128}, 2 * 720.0F / (1.0F + i))));
}

TEST(GradientReducerOverlap, SendsOnlyAfterTheLastOfSeveralPasses) {
  Chain chain;
  SameRanks backend(2);
  GradientReducer reducer(chain.parameters, &backend, {kLayerBytes, 512});
  const torch::Tensor first = torch::randn({5, 40}), second = torch::randn({5, 40});
  reducer.zero_gradients();
  chain.loss(first).backward();
  EXPECT_TRUE(backend.sent.empty());
  reducer.overlap_next_backward();
  chain.loss(second).backward();
  reducer.reduce();
  auto expected = chain.gradients(first);
  const auto more = chain.gradients(second);
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += more[i];
  EXPECT_TRUE(all_equal(chain.parameters, expected, 2));
  EXPECT_EQ(backend.sent.size(), reducer.bucket_count());
}

TEST(GradientReducerOverlap, ASecondPassAfterSendingIsRefused) {
  Chain chain;
  SameRanks backend(2);
  GradientReducer reducer(chain.parameters, &backend, {});
  reducer.overlap_next_backward();
  chain.loss(torch::randn({5, 40})).backward();
  EXPECT_THROW(chain.loss(torch::randn({5, 40})).backward(), std::logic_error);
}

TEST(GradientReducerOverlap, SendsTheZerosOfAnUnusedParameterAndNamesIt) {
  std::vector<torch::Tensor> parameters;
  for (int i = 0; i < 3; ++i) parameters.push_back(torch::ones({128}).requires_grad_());
  SameRanks backend(2);
  GradientReducer reducer(parameters, &backend, {512, 512});
  reducer.zero_gradients();
  reducer.overlap_next_backward();
  (parameters[0] * parameters[2]).sum().backward();
  EXPECT_EQ(backend.sent.size(), 1u);  // the second bucket never fills, and the third waits for it
  reducer.reduce();
  EXPECT_EQ(backend.sent.size(), 3u);
  EXPECT_EQ(reducer.overlapped_buckets(), 1u);
  EXPECT_EQ(reducer.unreached_parameters(), std::vector<std::size_t>{1});
  EXPECT_TRUE(torch::equal(parameters[1].grad(), torch::zeros({128})));
  EXPECT_TRUE(torch::equal(parameters[0].grad(), torch::full({128}, 2.0F)));
}

TEST(GradientReducerOverlap, LeavesFrozenParametersAlone) {
  Chain chain;
  for (int i = 0; i < 4; ++i) chain.parameters[i].requires_grad_(false);
  SameRanks backend(2);
  GradientReducer reducer(chain.parameters, &backend, {kLayerBytes, 512});
  const torch::Tensor input = torch::randn({5, 40});
  reducer.zero_gradients();
  reducer.overlap_next_backward();
  chain.loss(input).backward();
  reducer.reduce();
  const auto expected = chain.gradients(input);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_FALSE(chain.parameters[i].grad().defined());
  for (std::size_t i = 4; i < 8; ++i) EXPECT_TRUE(torch::equal(chain.parameters[i].grad(), 2 * expected[i]));
  EXPECT_TRUE(reducer.unreached_parameters().empty());
}

TEST(GradientReducerOverlap, TakesItsHooksAway) {
  Chain chain;
  SameRanks backend(2);
  { const GradientReducer gone(chain.parameters, &backend, {}); }
  GradientReducer reducer(chain.parameters, &backend, {});
  reducer.zero_gradients();
  reducer.overlap_next_backward();
  chain.loss(torch::randn({5, 40})).backward();
  reducer.reduce();
  EXPECT_EQ(backend.sent.size(), reducer.bucket_count());
}

TEST(GradientReducer, BackwardAddsIntoTheBucketsAndZeroClearsThem) {
  torch::manual_seed(1);
  torch::Tensor weight = torch::randn({5, 3}).requires_grad_(), bias = torch::randn({5}).requires_grad_();
  const torch::Tensor input = torch::randn({7, 3});
  GradientReducer reducer({weight, bias}, nullptr, {});
  const void* const place = weight.grad().data_ptr();
  for (int pass = 0; pass < 2; ++pass) {  // the second pass shows that the first was zeroed
    reducer.zero_gradients();
    (torch::matmul(input, weight.t()) + bias).pow(2).sum().backward();
    reducer.reduce();
    // d/dW sum((xW'+b)^2) = 2 (xW'+b)' x, d/db = 2 sum(xW'+b)
    const torch::Tensor output = torch::matmul(input, weight.detach().t()) + bias.detach();
    EXPECT_TRUE(torch::allclose(weight.grad(), 2 * torch::matmul(output.t(), input), 1e-5, 1e-5));
    EXPECT_TRUE(torch::allclose(bias.grad(), 2 * output.sum(0), 1e-5, 1e-5));
    EXPECT_EQ(weight.grad().data_ptr(), place);
  }
}

TEST(GradientReducer, KeepsTheParametersMemoryOrder) {
  torch::Tensor weight = torch::randn({4, 3, 3, 3}).contiguous(torch::MemoryFormat::ChannelsLast).requires_grad_();
  const GradientReducer reducer({weight}, nullptr, {});
  EXPECT_EQ(weight.grad().strides(), weight.strides());
}

TEST(GradientReducer, SplitsByBucketSize) {
  std::vector<torch::Tensor> parameters;
  for (int i = 0; i < 4; ++i) parameters.push_back(torch::zeros({128}).requires_grad_());
  EXPECT_EQ(GradientReducer(parameters, nullptr, {512, 512}).bucket_count(), 4u);
  EXPECT_EQ(GradientReducer(parameters, nullptr, {1024, 1024}).bucket_count(), 2u);
  EXPECT_THROW(GradientReducer(parameters, nullptr, {0, 512}), data::ConfigError);
  EXPECT_THROW(GradientReducer(parameters, nullptr, {512, 0}), data::ConfigError);
}

}  // namespace
}  // namespace ringpose::trainer
