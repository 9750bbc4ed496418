// Image normalisation against albumentations, the CUDA kernel against the CPU.
#include "trainer/normalize.hpp"

#include <ATen/Context.h>
#include <gtest/gtest.h>

#include "mpi/error.hpp"
#include "tests/support/golden_values.hpp"

namespace ringpose::trainer {
namespace {

TEST(Normalize, IsAlbumentations) {
  const tests::GoldenFile golden = tests::read_golden("normalize.safetensors");
  const torch::Tensor found = normalize_images(golden.tensors.at("image_HWC").unsqueeze(0));
  const torch::Tensor expected = golden.tensors.at("normalized_HWC").permute({2, 0, 1}).unsqueeze(0);
  ASSERT_EQ(found.sizes(), expected.sizes());
  EXPECT_LT((found - expected).abs().max().item<double>(), 1e-6);
}

TEST(Normalize, EveryValueFollowsTheFormula) {
  const torch::Tensor values = torch::arange(256).to(torch::kUInt8);
  const torch::Tensor found = normalize_images(values.view({1, 4, 64, 1}).expand({1, 4, 64, 3}));
  const double mean[] = {0.485, 0.456, 0.406}, deviation[] = {0.229, 0.224, 0.225};
  for (int channel = 0; channel < 3; ++channel) {
    const torch::Tensor expected = (values.to(torch::kFloat64) / 255 - mean[channel]) / deviation[channel];
    EXPECT_LT((found[0][channel].flatten() - expected).abs().max().item<double>(), 1e-6) << channel;
  }
}

TEST(Normalize, KeepsImagesApartAndTakesAnyStrides) {
  const torch::Tensor images = (tests::golden_tensor("images", {3, 5, 7, 3}, 0, 256)).to(torch::kUInt8);
  const torch::Tensor whole = normalize_images(images);
  EXPECT_TRUE(whole.is_contiguous());
  for (std::int64_t i = 0; i < 3; ++i)
    EXPECT_TRUE(torch::equal(whole[i], normalize_images(images.narrow(0, i, 1))[0])) << i;
  EXPECT_TRUE(torch::equal(whole.flip({3}), normalize_images(images.flip({2}))));
  EXPECT_TRUE(torch::equal(whole.transpose(2, 3), normalize_images(images.transpose(1, 2))));
  EXPECT_EQ(normalize_images(images.narrow(0, 0, 0)).sizes().vec(), (std::vector<std::int64_t>{0, 3, 5, 7}));
}

TEST(Normalize, RefusesOtherShapesAndTypes) {
  EXPECT_THROW(normalize_images(torch::zeros({2, 4, 4, 4}, torch::kUInt8)), std::invalid_argument);
  EXPECT_THROW(normalize_images(torch::zeros({4, 4, 3}, torch::kUInt8)), std::invalid_argument);
  EXPECT_THROW(normalize_images(torch::zeros({2, 4, 4, 3})), std::invalid_argument);
}

TEST(NormalizeCuda, HasTheSameBitsAsTheCpu) {
  if (!at::hasCUDA()) GTEST_SKIP() << "needs a GPU";
  const torch::Tensor images = (tests::golden_tensor("images", {3, 131, 257, 3}, 0, 256)).to(torch::kUInt8);
  EXPECT_TRUE(torch::equal(normalize_images(images.cuda()).cpu(), normalize_images(images)));
}

}  // namespace
}  // namespace ringpose::trainer
