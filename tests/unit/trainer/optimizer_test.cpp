// AdamW and the milestone schedule against torch.optim.AdamW with DeepLabCut's LRListScheduler.
#include "trainer/optimizer.hpp"

#include <gtest/gtest.h>

#include "data/error.hpp"
#include "tests/support/golden_values.hpp"
#include "trainer/schedule.hpp"

namespace ringpose::trainer {
namespace {

class OptimizerGolden : public testing::Test {
 protected:
  OptimizerGolden() : golden_(tests::read_golden("optimizer.safetensors")) {
    for (const auto& shape : golden_.facts["shapes"]) shapes_.push_back(shape.get<std::vector<std::int64_t>>());
    for (std::size_t i = 0; i < shapes_.size(); ++i)
      parameters_.push_back(tests::golden_tensor("parameter " + std::to_string(i), shapes_[i]).requires_grad_());
    schedule_ = {.learning_rate = golden_.facts["learning_rate"],
                 .milestones = golden_.facts["milestones"],
                 .rates = golden_.facts["list"]};
  }

  torch::Tensor gradient(std::int64_t step, std::size_t i) const {
    return tests::golden_tensor("gradient " + std::to_string(step) + " " + std::to_string(i), shapes_[i], -1e-3, 1e-3) *
           std::pow(10.0, -static_cast<double>(i));
  }

  void train(AdamW& optimizer, std::int64_t first, std::int64_t last) {
    for (std::int64_t step = first; step < last; ++step) {
      for (std::size_t i = 0; i < parameters_.size(); ++i) parameters_[i].mutable_grad() = gradient(step, i);
      optimizer.step(learning_rate_at(schedule_, step));
    }
  }

  /// Within float rounding of the golden parameters after `step`.
  void expect_parameters(std::int64_t step) const {
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const torch::Tensor& expected = golden_.tensors.at("parameter " + std::to_string(step) + " " + std::to_string(i));
      EXPECT_LT((parameters_[i] - expected).abs().max().item<double>(), 1e-6) << step << " " << i;
    }
  }

  tests::GoldenFile golden_;
  std::vector<std::vector<std::int64_t>> shapes_;
  std::vector<torch::Tensor> parameters_;
  ScheduleOptions schedule_;
};

TEST_F(OptimizerGolden, FiveStepsAreTorchs) {
  AdamW optimizer(parameters_, {});
  for (std::int64_t step = 0; step < 5; ++step) {
    EXPECT_EQ(learning_rate_at(schedule_, step), golden_.tensors.at("rates")[step].item<double>()) << step;
    train(optimizer, step, step + 1);
    expect_parameters(step);
  }
  EXPECT_EQ(optimizer.steps_taken(), 5);
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const auto relative = [](const torch::Tensor& a, const torch::Tensor& b) {
      return ((a - b).norm() / b.norm()).item<double>();
    };
    EXPECT_LT(relative(optimizer.exp_avg()[i], golden_.tensors.at("exp_avg " + std::to_string(i))), 1e-6);
    EXPECT_LT(relative(optimizer.exp_avg_sq()[i], golden_.tensors.at("exp_avg_sq " + std::to_string(i))), 1e-6);
  }
}

TEST_F(OptimizerGolden, MemoryOrderDoesNotMatter) {
  // The fused kernel walks memory flat: a channels-last parameter with a plain gradient would be mixed up.
  parameters_[0] = parameters_[0].detach().clone(at::MemoryFormat::ChannelsLast).requires_grad_();
  ASSERT_FALSE(parameters_[0].is_contiguous());
  AdamW optimizer(parameters_, {});
  train(optimizer, 0, 5);
  expect_parameters(4);
}

TEST_F(OptimizerGolden, RestoredStateContinuesBitForBit) {
  AdamW whole(parameters_, {});
  train(whole, 0, 5);
  const std::vector<torch::Tensor> expected = [&] {
    std::vector<torch::Tensor> copies;
    for (const auto& p : parameters_) copies.push_back(p.detach().clone());
    return copies;
  }();
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    parameters_[i] = tests::golden_tensor("parameter " + std::to_string(i), shapes_[i]).requires_grad_();
  AdamW first(parameters_, {});
  train(first, 0, 2);
  AdamW second(parameters_, {});
  second.load_state(first.exp_avg(), first.exp_avg_sq(), first.steps_taken());
  train(second, 2, 5);
  for (std::size_t i = 0; i < parameters_.size(); ++i) EXPECT_TRUE(torch::equal(parameters_[i], expected[i])) << i;
}

TEST_F(OptimizerGolden, RefusesStateOfAnotherNetwork) {
  AdamW optimizer(parameters_, {});
  std::vector<torch::Tensor> fewer(optimizer.exp_avg().begin(), optimizer.exp_avg().end() - 1);
  EXPECT_THROW(optimizer.load_state(fewer, optimizer.exp_avg_sq(), 1), data::FormatError);
  std::vector<torch::Tensor> other = optimizer.exp_avg();
  other[1] = torch::zeros({8});
  EXPECT_THROW(optimizer.load_state(optimizer.exp_avg(), other, 1), data::FormatError);
  EXPECT_THROW(optimizer.load_state(optimizer.exp_avg(), optimizer.exp_avg_sq(), -1), data::FormatError);
}

TEST_F(OptimizerGolden, RefusesToStepWithoutGradients) {
  AdamW optimizer(parameters_, {});
  EXPECT_THROW(optimizer.step(1e-3), std::logic_error);
}

TEST(AdamWOptions, RefusesValuesOutOfRange) {
  EXPECT_THROW(AdamWOptions{.beta1 = 1}.validate(), data::ConfigError);
  EXPECT_THROW(AdamWOptions{.beta2 = -0.1}.validate(), data::ConfigError);
  EXPECT_THROW(AdamWOptions{.epsilon = -1}.validate(), data::ConfigError);
  EXPECT_THROW(AdamWOptions{.weight_decay = -1}.validate(), data::ConfigError);
}

TEST(Schedule, DefaultsSwitchAfterNinetyAndHundredTwentyEpochs) {
  const ScheduleOptions options;
  EXPECT_EQ(learning_rate_at(options, 0), 5e-4);
  EXPECT_EQ(learning_rate_at(options, 89), 5e-4);
  EXPECT_EQ(learning_rate_at(options, 90), 1e-4);
  EXPECT_EQ(learning_rate_at(options, 119), 1e-4);
  EXPECT_EQ(learning_rate_at(options, 120), 1e-5);
  EXPECT_EQ(learning_rate_at(options, 100000), 1e-5);
}

TEST(Schedule, RefusesMalformedLists) {
  EXPECT_THROW((ScheduleOptions{.milestones = {1}, .rates = {}}.validate()), data::ConfigError);
  EXPECT_THROW((ScheduleOptions{.milestones = {5, 5}, .rates = {1e-3, 1e-4}}.validate()), data::ConfigError);
  EXPECT_THROW((ScheduleOptions{.milestones = {5}, .rates = {0}}.validate()), data::ConfigError);
  EXPECT_THROW((ScheduleOptions{.learning_rate = 0}.validate()), data::ConfigError);
  EXPECT_NO_THROW(ScheduleOptions{}.validate());
}

}  // namespace
}  // namespace ringpose::trainer
