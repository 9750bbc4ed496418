// PoseModel against DeepLabCut's: names, outputs, gradients; and how fresh weights are drawn.
#include "trainer/pose_model.hpp"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <memory>

#include "data/error.hpp"
#include "tests/support/golden_model.hpp"
#include "tests/support/golden_values.hpp"
#include "trainer/losses.hpp"

namespace ringpose::trainer {
namespace {

using tests::GoldenFile;

class PoseModelGolden : public testing::TestWithParam<const char*> {
 protected:
  PoseModelGolden() : golden_(tests::read_golden(std::string("model_") + GetParam() + ".safetensors")) {
    at::set_num_threads(1);
  }
  /// Of a new model_ with the golden weights.
  PoseOutput forward(torch::ScalarType type) {
    model_ = std::make_unique<PoseModel>(PoseModelOptions{GetParam(), 3});
    tests::set_golden_weights(*model_);
    model_->to(type);
    const auto size = golden_.facts["size"].get<std::vector<std::int64_t>>();
    return model_->forward(tests::golden_tensor(golden_.facts["images"].get<std::string>(), size, -2, 2).to(type));
  }
  GoldenFile golden_;
  std::unique_ptr<PoseModel> model_;
};

TEST_P(PoseModelGolden, NamesAndShapesAreDeepLabCuts) {
  const PoseModel model({.net_type = GetParam(), .keypoints = 3});
  const auto parameters = model.named_parameters();
  ASSERT_EQ(parameters.size(), golden_.facts["names"].size());
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    EXPECT_EQ(parameters[i].key(), golden_.facts["names"][i].get<std::string>());
    EXPECT_EQ(parameters[i].value().sizes().vec(), golden_.facts["shapes"][i].get<std::vector<std::int64_t>>())
        << parameters[i].key();
  }
  EXPECT_TRUE(model.named_buffers().is_empty());  // GroupNorm: nothing else in the state_dict
}

/// DeepLabCut computed in float64 (tests/golden/make_model.py says why).
TEST_P(PoseModelGolden, OutputsLossesAndGradientsAreDeepLabCuts) {
  for (const auto& [type, tolerance] : {std::pair{torch::kFloat64, 1e-6}, std::pair{torch::kFloat32, 1e-4}}) {
    SCOPED_TRACE(c10::toString(type));
    const PoseOutput output = forward(type);
    for (const auto& [name, map] :
         {std::pair{"heatmap", output.heatmap_NKhw}, std::pair{"locref", output.locref_N2Khw}}) {
      const torch::Tensor& expected = golden_.tensors.at(name);
      ASSERT_EQ(map.sizes(), expected.sizes());
      EXPECT_LT(((map - expected).abs().max() / expected.abs().max()).item<double>(), tolerance / 10) << name;
    }
    const Losses losses = tests::golden_losses(output, golden_.tensors.at("keypoints"));
    for (const auto& [name, loss] : {std::pair{"bodypart_heatmap", losses.heatmap},
                                     {"bodypart_locref", losses.locref},
                                     {"total_loss", losses.total}})
      EXPECT_NEAR(loss.item<double>() / golden_.tensors.at(name).item<double>(), 1, tolerance / 10) << name;
    losses.total.backward();
    const tests::DigestError error = tests::compare_digest(tests::named_gradients(*model_), golden_, "gradient");
    std::cout << GetParam() << " gradients: global relative L2 " << error.global << ", worst tensor "
              << error.worst_tensor << " (" << error.worst_name << ")\n";
    EXPECT_LT(error.global, tolerance);
    EXPECT_LT(error.samples, tolerance);
    EXPECT_LT(error.worst_norm, tolerance);
    EXPECT_LT(error.worst_tensor, tolerance) << error.worst_name;
  }
}

TEST_P(PoseModelGolden, AHalvedGradientIsNoticed) {
  const Losses losses = tests::golden_losses(forward(torch::kFloat32), golden_.tensors.at("keypoints"));
  (losses.total * 0.5).backward();
  const tests::DigestError error = tests::compare_digest(tests::named_gradients(*model_), golden_, "gradient");
  EXPECT_NEAR(error.global, 0.5, 0.1);  // the estimate from signed sums is itself random
  EXPECT_NEAR(error.samples, 0.5, 1e-3);
}

INSTANTIATE_TEST_SUITE_P(Networks, PoseModelGolden, testing::Values("resnet_50", "resnet_18"));

TEST(PoseModel, OutputHasTheDocumentedSize) {
  at::set_num_threads(1);
  const torch::NoGradGuard no_grad;
  PoseModel model({.net_type = "resnet_18", .keypoints = 2});
  for (const auto& [height, width, h, w] :
       {std::array{32, 48, 5, 7}, std::array{33, 47, 7, 7}, std::array{16, 100, 3, 15}}) {
    const PoseOutput output = model.forward(torch::zeros({1, 3, height, width}));
    EXPECT_EQ(output.heatmap_NKhw.sizes().vec(), (std::vector<std::int64_t>{1, 2, h, w}));
    EXPECT_EQ(output.locref_N2Khw.sizes().vec(), (std::vector<std::int64_t>{1, 4, h, w}));
    EXPECT_EQ(heatmap_cells(height), h);
    EXPECT_EQ(heatmap_cells(width), w);
  }
  EXPECT_EQ(heatmap_cells(448), 57);
}

TEST(PoseModel, FreshWeightsFollowTimmAndDeepLabCut) {
  torch::manual_seed(7);
  const PoseModel model({.net_type = "resnet_18", .keypoints = 4});
  for (const auto& item : model.named_parameters()) {
    const std::string& name = item.key();
    const torch::Tensor& value = item.value();
    if (value.dim() == 1) {
      const bool one = name.ends_with("weight") && (name.find("bn2") == std::string::npos);  // bn2: a block's last norm
      EXPECT_TRUE((value == (one ? 1 : 0)).all().item<bool>()) << name;
      continue;
    }
    // Kaiming normal over fan-out, or 0.001: the standard deviation within 5 of its own standard errors.
    const double fan_out = static_cast<double>(value.size(0) * value.size(2) * value.size(3));
    const double expected = name.starts_with("heads.") ? 0.001 : std::sqrt(2 / fan_out);
    const double tolerance = 5 / std::sqrt(2.0 * static_cast<double>(value.numel()));
    EXPECT_NEAR(value.std().item<double>() / expected, 1, tolerance) << name;
    EXPECT_NEAR(value.mean().item<double>() / expected, 0, 5 / std::sqrt(static_cast<double>(value.numel()))) << name;
  }
}

TEST(PoseModel, SameSeedSameWeights) {
  torch::manual_seed(3);
  const PoseModel a({.net_type = "resnet_18", .keypoints = 1});
  torch::manual_seed(3);
  const PoseModel b({.net_type = "resnet_18", .keypoints = 1});
  for (const auto& item : a.named_parameters())
    EXPECT_TRUE(torch::equal(item.value(), b.named_parameters()[item.key()])) << item.key();
}

TEST(PoseModel, RefusesUnknownNetworksAndNoKeypoints) {
  EXPECT_THROW(PoseModel({.net_type = "resnet_101", .keypoints = 1}), data::ConfigError);
  EXPECT_THROW(PoseModel({.net_type = "resnet_50", .keypoints = 0}), data::ConfigError);
}

}  // namespace
}  // namespace ringpose::trainer
