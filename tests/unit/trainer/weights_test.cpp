// Initial weights under timm's and DeepLabCut's names; files of other networks are refused whole.
#include "trainer/weights.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <limits>

#include "data/error.hpp"
#include "tests/support/golden_values.hpp"
#include "tests/support/temporary_folder.hpp"
#include "trainer/file_digest.hpp"
#include "trainer/safetensors.hpp"

namespace ringpose::trainer {
namespace {

constexpr std::string_view kPrefix = "backbone.model.";

class Weights : public testing::Test {
 protected:
  Weights() : model_({.net_type = "resnet_18", .keypoints = 2}), path_(folder_.path() / "weights.safetensors") {
    for (const auto& item : model_.named_parameters()) before_.emplace(item.key(), item.value().detach().clone());
  }

  /// Randomised tensors of the backbone under timm's names, as on the hub.
  TensorFile timm_file() const {
    TensorFile file;
    for (const auto& [name, value] : before_)
      if (name.starts_with(kPrefix))
        file.tensors.emplace_back(name.substr(kPrefix.size()), tests::golden_weight(name, value.sizes().vec()));
    file.tensors.emplace_back("fc.weight", torch::zeros({1000, 512}));
    file.tensors.emplace_back("fc.bias", torch::zeros({1000}));
    return file;
  }
  TensorFile deeplabcut_file() const {
    TensorFile file;
    for (const auto& [name, value] : before_)
      file.tensors.emplace_back(name, tests::golden_weight(name, value.sizes().vec()));
    return file;
  }
  void expect_refused(const TensorFile& file, const std::string& reason) {
    write_safetensors(path_, file);
    try {
      load_initial_weights(model_, path_);
      ADD_FAILURE() << "was loaded, although: " << reason;
    } catch (const data::FormatError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(reason));
    }
    for (const auto& item : model_.named_parameters())
      ASSERT_TRUE(torch::equal(item.value(), before_.at(item.key()))) << item.key();
  }

  tests::TemporaryFolder folder_;
  PoseModel model_;
  std::filesystem::path path_;
  std::map<std::string, torch::Tensor> before_;
};

TEST_F(Weights, TimmNamesFillTheBackboneAlone) {
  write_safetensors(path_, timm_file());
  const WeightReport report = load_initial_weights(model_, path_);
  EXPECT_EQ(report.loaded, static_cast<int>(before_.size()) - 4);
  EXPECT_EQ(report.ignored, (std::vector<std::string>{"fc.weight", "fc.bias"}));
  for (const auto& item : model_.named_parameters()) {
    const torch::Tensor expected = item.key().starts_with(kPrefix)
                                       ? tests::golden_weight(item.key(), item.value().sizes().vec())
                                       : before_.at(item.key());
    EXPECT_TRUE(torch::equal(item.value(), expected)) << item.key();
  }
}

TEST_F(Weights, DeepLabCutNamesFillTheWholeModel) {
  write_safetensors(path_, deeplabcut_file());
  const WeightReport report = load_initial_weights(model_, path_);
  EXPECT_EQ(report.loaded, static_cast<int>(before_.size()));
  EXPECT_TRUE(report.ignored.empty());
  for (const auto& item : model_.named_parameters())
    EXPECT_TRUE(torch::equal(item.value(), tests::golden_weight(item.key(), item.value().sizes().vec()))) << item.key();
}

TEST_F(Weights, HalfPrecisionIsConverted) {
  TensorFile file = timm_file();
  for (auto& [name, tensor] : file.tensors) tensor = tensor.to(torch::kHalf);
  write_safetensors(path_, file);
  load_initial_weights(model_, path_);
  const auto parameters = model_.named_parameters();
  for (const auto& [name, tensor] : file.tensors) {
    if (name.starts_with("fc.")) continue;
    const torch::Tensor loaded = parameters[std::string(kPrefix) + name];
    EXPECT_EQ(loaded.scalar_type(), torch::kFloat32);
    EXPECT_TRUE(torch::equal(loaded, tensor.to(torch::kFloat32))) << name;
  }
}

TEST_F(Weights, RefusesMissingTensors) {
  TensorFile file = timm_file();
  std::erase_if(file.tensors, [](const auto& item) { return item.first == "layer3.1.conv2.weight"; });
  expect_refused(file, "'backbone.model.layer3.1.conv2.weight'");
  file = deeplabcut_file();
  std::erase_if(file.tensors,
                [](const auto& item) { return item.first == "heads.bodypart.locref_head.deconv_layers.0.bias"; });
  expect_refused(file, "'heads.bodypart.locref_head.deconv_layers.0.bias'");
  expect_refused({}, "are missing");
}

TEST_F(Weights, RefusesOtherShapesTypesAndValues) {
  const auto with_first = [&](const torch::Tensor& tensor) {
    TensorFile file = timm_file();
    for (auto& [name, value] : file.tensors)
      if (name == "bn1.bias") value = tensor;
    return file;
  };
  expect_refused(with_first(torch::zeros({32})), "has shape [32], expected [64]");
  expect_refused(with_first(torch::zeros({64}, torch::kInt64)), "floating point");
  expect_refused(with_first(torch::full({64}, std::numeric_limits<float>::quiet_NaN())), "NaN");
}

TEST_F(Weights, RefusesBatchNormNetworks) {
  TensorFile file = timm_file();
  file.tensors.emplace_back("bn1.running_mean", torch::zeros({64}));
  expect_refused(file, "BatchNorm");
}

TEST(FileDigest, IsSha256) {
  const tests::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "abc";
  std::ofstream(path) << "abc";  // FIPS 180-2, appendix B.1
  EXPECT_EQ(sha256_of_file(path), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  std::ofstream(path) << std::string(1'000'000, 'a');  // appendix B.3
  EXPECT_EQ(sha256_of_file(path), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  EXPECT_THROW(static_cast<void>(sha256_of_file(folder.path() / "none")), data::IoError);
}

}  // namespace
}  // namespace ringpose::trainer
