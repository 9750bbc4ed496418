// Three training steps against DeepLabCut's own runner: model, targets, losses, counts and AdamW together. In float64,
// as a ReLU that opens by rounding alone changes the weights by more than the tolerance (tests/golden/make_model.py).
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "tests/support/golden_model.hpp"
#include "tests/support/golden_values.hpp"
#include "trainer/optimizer.hpp"

namespace ringpose::trainer {
namespace {

class TrainingGolden : public testing::TestWithParam<const char*> {};

constexpr double kTolerance = 1e-6;  // what is stored is float32

TEST_P(TrainingGolden, ThreeStepsEndAtDeepLabCutsWeights) {
  at::set_num_threads(1);
  const tests::GoldenFile golden = tests::read_golden(std::string("training_") + GetParam() + ".safetensors");
  const torch::Tensor keypoints_BK2 = golden.tensors.at("keypoints"), losses = golden.tensors.at("losses");
  const auto size = golden.facts["size"].get<std::vector<std::int64_t>>();
  PoseModel model({.net_type = GetParam(), .keypoints = static_cast<int>(keypoints_BK2.size(1))});
  tests::set_golden_weights(model);
  model.to(torch::kFloat64);
  AdamW optimizer(model.parameters(), {});
  std::int64_t first = 0, step = 0;
  for (const std::int64_t rows : golden.facts["batches"].get<std::vector<std::int64_t>>()) {
    model.zero_grad();
    const auto images = tests::golden_tensor("images " + std::to_string(step), {rows, 3, size[0], size[1]}, -2, 2);
    const PoseOutput output = model.forward(images.to(torch::kFloat64));
    const Losses ours = tests::golden_losses(output, keypoints_BK2.narrow(0, first, rows));
    EXPECT_NEAR(ours.heatmap.item<double>() / losses[step][0].item<double>(), 1, kTolerance) << "step " << step;
    EXPECT_NEAR(ours.locref.item<double>() / losses[step][1].item<double>(), 1, kTolerance) << "step " << step;
    EXPECT_NEAR(ours.total.item<double>() / losses[step][2].item<double>(), 1, kTolerance) << "step " << step;
    ours.total.backward();
    optimizer.step(golden.facts["learning_rate"].get<double>());
    first += rows;
    ++step;
  }
  ASSERT_EQ(step, 3);
  std::vector<std::pair<std::string, torch::Tensor>> weights;
  for (const auto& item : model.named_parameters()) weights.emplace_back(item.key(), item.value());
  const tests::DigestError error = tests::compare_digest(weights, golden, "weight");
  std::cout << GetParam() << " weights after 3 steps: global relative L2 " << error.global << ", stored entries "
            << error.samples << "\n";
  EXPECT_LT(error.global, kTolerance);
  EXPECT_LT(error.samples, kTolerance);
}

INSTANTIATE_TEST_SUITE_P(Networks, TrainingGolden, testing::Values("resnet_50", "resnet_18"));

}  // namespace
}  // namespace ringpose::trainer
