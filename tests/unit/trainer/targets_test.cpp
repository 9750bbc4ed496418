// Targets against DeepLabCut's, and counts against the maps they stand for.
#include "trainer/targets.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "data/error.hpp"
#include "tests/support/golden_values.hpp"

namespace ringpose::trainer {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

TargetCounts count(const torch::Tensor& keypoints_NK2, int h, int w, const TargetOptions& options) {
  const torch::Tensor values = keypoints_NK2.contiguous();
  return count_targets({values.const_data_ptr<float>(), static_cast<std::size_t>(values.numel())},
                       static_cast<int>(values.size(1)), h, w, 8, options);
}

/// Non-zero weights of the maps, as DeepLabCut's criteria count them.
TargetCounts count_maps(const Targets& targets) {
  const std::int64_t cells = targets.heatmap_NKhw.size(2) * targets.heatmap_NKhw.size(3);
  return {targets.heatmap_weight_NK11.count_nonzero().item<std::int64_t>() * cells,
          targets.locref_mask_N2Khw.count_nonzero().item<std::int64_t>()};
}

TEST(Targets, MapsAndWeightsAreDeepLabCuts) {
  const tests::GoldenFile golden = tests::read_golden("targets.safetensors");
  const int h = golden.facts["size"][0], w = golden.facts["size"][1];
  const torch::Tensor keypoints = golden.tensors.at("keypoints");
  const std::int64_t N = keypoints.size(0);
  const std::pair<const char*, TargetOptions> cases[] = {
      {"plain", {}},
      {"masked", {.gradient_masking = true, .background_weight = 0.1}},
      {"removed", {.gradient_masking = true, .background_weight = 0}}};
  for (const auto& [name, options] : cases) {
    const Targets targets = make_targets(keypoints, torch::ones({N}), h, w, 8, options);
    EXPECT_LT((targets.heatmap_NKhw - golden.tensors.at("heatmap")).abs().max().item<double>(), 2e-7) << name;
    EXPECT_LT((targets.locref_N2Khw - golden.tensors.at("locref")).abs().max().item<double>(), 1e-5) << name;
    EXPECT_TRUE(torch::equal(targets.locref_mask_N2Khw, golden.tensors.at("locref_weights").to(torch::kFloat32)))
        << name;
    const torch::Tensor& weights = golden.tensors.at(std::string(name) + "_heatmap_weights");
    EXPECT_TRUE(torch::equal(targets.heatmap_weight_NK11.expand_as(weights), weights)) << name;
    EXPECT_FALSE(targets.heatmap_NKhw.isnan().any().item<bool>() || targets.locref_N2Khw.isnan().any().item<bool>());
  }
}

TEST(Targets, DiscCellsAreDeepLabCutsAtTheBorder) {
  const tests::GoldenFile golden = tests::read_golden("disc_cells.safetensors");
  const int h = golden.facts["size"][0], w = golden.facts["size"][1];
  const torch::Tensor keypoints = golden.tensors.at("keypoints").unsqueeze(1),
                      cells = golden.tensors.at("locref_cells");
  const torch::Tensor mask = make_targets(keypoints, torch::ones({keypoints.size(0)}), h, w, 8, {}).locref_mask_N2Khw;
  const torch::Tensor map_cells = mask.sum({1, 2, 3}).to(torch::kInt32);
  for (std::int64_t i = 0; i < keypoints.size(0); ++i) {
    const int expected = cells[i].item<int>();
    EXPECT_EQ(map_cells[i].item<int>(), expected) << keypoints[i];
    EXPECT_EQ(count(keypoints[i].unsqueeze(0), h, w, {}).locref, expected) << keypoints[i];
  }
}

TEST(Targets, ExactBorderBelongsToTheDisc) {
  // (8, 15, 17) is a Pythagorean triple, so the cell lies on the circle exactly; one float further out it does not.
  const torch::Tensor on = torch::tensor({36.0F + 8, 36.0F + 15}).view({1, 1, 2});
  const torch::Tensor beyond = torch::tensor({36.0F + 8, std::nextafter(36.0F + 15, 100.0F)}).view({1, 1, 2});
  const auto masked = [](const torch::Tensor& keypoint) {
    return make_targets(keypoint, torch::ones({1}), 13, 17, 8, {}).locref_mask_N2Khw[0][0][4][4].item<float>();
  };
  EXPECT_EQ(masked(on), 1);
  EXPECT_EQ(masked(beyond), 0);
}

TEST(Targets, CountsAreThoseOfTheMaps) {
  const std::int64_t N = 1000, K = 5;
  torch::Tensor keypoints = tests::golden_tensor("count keypoints", {N, K, 2}, -40, 200);
  keypoints.narrow(0, 0, 300).round_();  // many at whole distances
  keypoints.masked_fill_(tests::golden_tensor("count missing", {N, K, 1}) < -0.4, kNaN);
  for (const double radius_px : {17.0, 5.0, 0.5, 1000.0})
    for (const bool masking : {false, true})
      for (const double background : {0.0, 0.1}) {
        const TargetOptions options{
            .pos_dist_thresh_px = radius_px, .gradient_masking = masking, .background_weight = background};
        const TargetCounts expected = count_maps(make_targets(keypoints, torch::ones({N}), 13, 17, 8, options));
        const TargetCounts found = count(keypoints, 13, 17, options);
        EXPECT_EQ(found.heatmap, expected.heatmap) << radius_px << masking << background;
        EXPECT_EQ(found.locref, expected.locref) << radius_px << masking << background;
      }
}

TEST(Targets, PaddingRowsWeighNothing) {
  const torch::Tensor keypoints = tests::golden_tensor("padding", {3, 2, 2}, 0, 100);
  const Targets targets = make_targets(keypoints, torch::tensor({1.0F, 0.0F, 1.0F}), 13, 17, 8, {});
  EXPECT_EQ(targets.heatmap_weight_NK11[1].abs().sum().item<float>(), 0);
  EXPECT_EQ(targets.locref_mask_N2Khw[1].abs().sum().item<float>(), 0);
  EXPECT_EQ(targets.heatmap_weight_NK11[2].sum().item<float>(), 2);
  EXPECT_GT(targets.locref_mask_N2Khw[2].sum().item<float>(), 0);
}

TEST(Targets, FarAndInfiniteKeypointsCountNothing) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float far : {1e30F, -1e30F, infinity, -infinity}) {
    const torch::Tensor keypoints = torch::tensor({far, 20.0F}).view({1, 1, 2});
    EXPECT_EQ(count(keypoints, 13, 17, {}).locref, 0);
    EXPECT_EQ(count_maps(make_targets(keypoints, torch::ones({1}), 13, 17, 8, {})).locref, 0);
  }
}

TEST(Targets, RefusesOptionsOutOfRange) {
  EXPECT_THROW(TargetOptions{.pos_dist_thresh_px = 0}.validate(), data::ConfigError);
  EXPECT_THROW(TargetOptions{.locref_std = -1}.validate(), data::ConfigError);
  EXPECT_THROW(TargetOptions{.background_weight = -0.1}.validate(), data::ConfigError);
  EXPECT_NO_THROW(TargetOptions{}.validate());
}

}  // namespace
}  // namespace ringpose::trainer
