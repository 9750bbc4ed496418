// Losses against DeepLabCut's, and their sum over slices of a batch against the whole: what makes N ranks equal one.
#include "trainer/losses.hpp"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <limits>

#include "data/error.hpp"
#include "data/sampler.hpp"
#include "tests/support/golden_model.hpp"
#include "tests/support/golden_values.hpp"

namespace ringpose::trainer {
namespace {

TEST(PoseLoss, IsDeepLabCuts) {
  const tests::GoldenFile golden = tests::read_golden("targets.safetensors");
  const int h = golden.facts["size"][0], w = golden.facts["size"][1];
  const torch::Tensor keypoints = golden.tensors.at("keypoints");
  const std::int64_t N = keypoints.size(0), K = keypoints.size(1);
  const PoseOutput output{tests::golden_tensor("heatmap", {N, K, h, w}),
                          tests::golden_tensor("locref", {N, 2 * K, h, w}, -3, 3)};
  const std::pair<const char*, TargetOptions> cases[] = {
      {"plain", {}},
      {"masked", {.gradient_masking = true, .background_weight = 0.1}},
      {"removed", {.gradient_masking = true, .background_weight = 0}}};
  for (const auto& [name, options] : cases) {
    const TargetCounts counts =
        count_targets({keypoints.const_data_ptr<float>(), static_cast<std::size_t>(keypoints.numel())},
                      static_cast<int>(K), h, w, 8, options);
    const Losses losses = pose_loss(output, make_targets(keypoints, torch::ones({N}), h, w, 8, options), counts, {});
    const torch::Tensor expected = golden.tensors.at(std::string(name) + "_losses");
    EXPECT_NEAR(losses.heatmap.item<double>() / expected[0].item<double>(), 1, 1e-6) << name;
    EXPECT_NEAR(losses.locref.item<double>() / expected[1].item<double>(), 1, 1e-6) << name;
    EXPECT_NEAR(losses.total.item<double>() / expected[2].item<double>(), 1, 1e-6) << name;
  }
}

TEST(PoseLoss, NothingLabelledGivesZeroLocrefLoss) {
  const torch::Tensor keypoints = torch::full({2, 1, 2}, std::numeric_limits<float>::quiet_NaN());
  const PoseOutput output{torch::ones({2, 1, 3, 3}), torch::ones({2, 2, 3, 3})};
  const TargetCounts counts = count_targets({keypoints.const_data_ptr<float>(), 4}, 1, 3, 3, 8, {});
  EXPECT_EQ(counts.locref, 0);
  const Losses losses = pose_loss(output, make_targets(keypoints, torch::ones({2}), 3, 3, 8, {}), counts, {});
  EXPECT_EQ(losses.locref.item<double>(), 0);
  EXPECT_EQ(losses.heatmap.item<double>(), 1);  // an absent part is trained as an empty map
  EXPECT_EQ(losses.total.item<double>(), 0.5);
}

TEST(PoseLoss, RefusesNegativeWeights) {
  EXPECT_THROW(LossOptions{.heatmap_weight = -1}.validate(), data::ConfigError);
  EXPECT_THROW(LossOptions{.locref_weight = -1}.validate(), data::ConfigError);
}

/// Gradients of a batch that `ranks` ranks compute in slices, added up. The batch is not divisible by 2 or 4, so slices
/// are padded; rows are labelled unevenly, so counts differ from slice to slice.
class SlicedLoss : public testing::Test {
 protected:
  static constexpr int kHeight = 64, kWidth = 80, kKeypoints = 3;
  static constexpr std::int64_t kRows = 7;

  SlicedLoss() : model_({.net_type = "resnet_18", .keypoints = kKeypoints}) {
    at::set_num_threads(1);
    tests::set_golden_weights(model_);
    images_ = tests::golden_tensor("sliced images", {kRows, 3, kHeight, kWidth}, -2, 2);
    keypoints_ = tests::golden_tensor("sliced keypoints", {kRows, kKeypoints, 2}, 0, 64);
    const float nan = std::numeric_limits<float>::quiet_NaN();
    keypoints_[0].fill_(nan);
    keypoints_[1].narrow(0, 0, 2).fill_(nan);
    keypoints_[5].narrow(0, 1, 1).fill_(nan);
  }

  /// Weights of padding rows are 0; their images and keypoints are arbitrary.
  torch::Tensor padded(const torch::Tensor& rows, std::int64_t to, double value) const {
    std::vector<std::int64_t> shape = rows.sizes().vec();
    shape[0] = to - rows.size(0);
    return torch::cat({rows, torch::full(shape, value, rows.options())});
  }

  std::vector<torch::Tensor> gradients(int ranks, double scale = 1) {
    constexpr int h = heatmap_cells(kHeight), w = heatmap_cells(kWidth);
    const TargetCounts counts =
        count_targets({keypoints_.const_data_ptr<float>(), static_cast<std::size_t>(keypoints_.numel())}, kKeypoints, h,
                      w, PoseModel::kStride, {});
    model_.zero_grad();
    loss_ = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      const std::int64_t base = kRows / ranks, more = kRows % ranks, padded_rows = (kRows + ranks - 1) / ranks;
      const std::int64_t count = base + (rank < more ? 1 : 0), first = rank * base + std::min<std::int64_t>(rank, more);
      const torch::Tensor weight = padded(torch::ones({count}), padded_rows, 0);
      const torch::Tensor keypoints = padded(keypoints_.narrow(0, first, count), padded_rows, 30);
      const PoseOutput output = model_.forward(padded(images_.narrow(0, first, count), padded_rows, 0.5));
      const Losses losses =
          pose_loss(output, make_targets(keypoints, weight, h, w, PoseModel::kStride, {}), counts, {});
      loss_ += losses.total.item<double>();
      (losses.total * scale).backward();  // adds to grad(), as the all-reduce does
    }
    std::vector<torch::Tensor> result;
    for (const torch::Tensor& parameter : model_.parameters()) result.push_back(parameter.grad().clone());
    return result;
  }

  struct Difference {
    double global = 0, worst = 0;
  };
  static Difference difference(const std::vector<torch::Tensor>& a, const std::vector<torch::Tensor>& b) {
    double error = 0, norm = 0;
    Difference result;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const double e = (a[i] - b[i]).norm().item<double>(), n = b[i].norm().item<double>();
      error += e * e;
      norm += n * n;
      result.worst = std::max(result.worst, e / n);
    }
    result.global = std::sqrt(error / norm);
    return result;
  }

  PoseModel model_;
  torch::Tensor images_, keypoints_;
  double loss_ = 0;
};

TEST_F(SlicedLoss, SlicesAddUpToTheWholeBatch) {
  const std::vector<torch::Tensor> whole = gradients(1);
  const double whole_loss = loss_;
  for (const int ranks : {2, 3, 4}) {
    const Difference found = difference(gradients(ranks), whole);
    EXPECT_LT(found.global, 1e-5) << ranks;
    EXPECT_LT(found.worst, 1e-4) << ranks;
    EXPECT_NEAR(loss_ / whole_loss, 1, 1e-5) << ranks;
  }
}

TEST_F(SlicedLoss, AHalvedGradientIsNoticed) {
  const std::vector<torch::Tensor> whole = gradients(1);
  const Difference found = difference(gradients(2, 0.5), whole);
  EXPECT_NEAR(found.global, 0.5, 1e-4);
}

}  // namespace
}  // namespace ringpose::trainer
