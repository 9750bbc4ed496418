// Keypoints from maps against DeepLabCut's HeatmapPredictor.
#include "trainer/decoder.hpp"

#include <gtest/gtest.h>

#include "tests/support/golden_values.hpp"

namespace ringpose::trainer {
namespace {

TEST(Decode, IsDeepLabCuts) {
  const tests::GoldenFile golden = tests::read_golden("decode.safetensors");
  const PoseOutput output{golden.tensors.at("heatmap"), golden.tensors.at("locref")};
  for (const bool clip : {true, false}) {
    const torch::Tensor& expected = golden.tensors.at(clip ? "clipped" : "raw");
    const torch::Tensor found = decode(output, 8, {.clip_scores = clip});
    ASSERT_EQ(found.sizes(), expected.sizes());
    EXPECT_TRUE(torch::equal(found, expected)) << (found - expected).abs().max();
  }
}

TEST(Decode, TakesTheFirstOfEqualCellsAndItsOffset) {
  torch::Tensor heatmap = torch::zeros({1, 1, 3, 5}), locref = torch::zeros({1, 2, 3, 5});
  heatmap[0][0][1][4] = heatmap[0][0][2][0] = 0.75;
  locref[0][0][1][4] = 0.5;    // dx
  locref[0][1][1][4] = -0.25;  // dy
  const torch::Tensor pose = decode({heatmap, locref}, 8, {.locref_std = 2});
  EXPECT_EQ(pose[0][0][0].item<float>(), 4 * 8 + 4 + 1);
  EXPECT_EQ(pose[0][0][1].item<float>(), 1 * 8 + 4 - 0.5F);
  EXPECT_EQ(pose[0][0][2].item<float>(), 0.75F);
}

TEST(Decode, KeepsNoGraph) {
  const torch::Tensor heatmap = torch::rand({1, 2, 3, 3}).requires_grad_();
  EXPECT_FALSE(decode({heatmap, torch::rand({1, 4, 3, 3})}, 8).requires_grad());
}

}  // namespace
}  // namespace ringpose::trainer
