#include "trainer/gradient_reducer.hpp"

#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

#include "data/error.hpp"

namespace ringpose::trainer {
namespace {

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
  EXPECT_EQ(GradientReducer(parameters, nullptr, {512}).bucket_count(), 4u);
  EXPECT_EQ(GradientReducer(parameters, nullptr, {1024}).bucket_count(), 2u);
  EXPECT_THROW(GradientReducer(parameters, nullptr, {0}), data::ConfigError);
}

}  // namespace
}  // namespace ringpose::trainer
