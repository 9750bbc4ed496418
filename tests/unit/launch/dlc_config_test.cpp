#include "launch/dlc_config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "data/error.hpp"
#include "tests/support/test_data.hpp"

namespace ringpose::launch {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

/// What DeepLabCut writes, cut down to what must be there.
constexpr const char* kSmall = R"(net_type: resnet_50
method: bu
metadata: {bodyparts: [nose, tail], individuals: [animal]}
model:
  heads:
    bodypart:
      target_generator: {num_heatmaps: 2, locref_std: 7.2801}
      heatmap_config: {channels: [2048, 2]}
runner:
  gpus: [0, 1]
  optimizer: {type: AdamW, params: {lr: 0.001}}
train_settings: {batch_size: 16, epochs: 50, seed: 7}
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string error_of(const std::string& yaml) {
  try {
    (void)read_dlc_config_text(yaml, "pytorch_config.yaml");
  } catch (const data::ConfigError& error) {
    return error.what();
  }
  return "no ConfigError";
}

std::string error_with(const std::string& addition) {
  return error_of(std::string(kSmall) + addition);
}

/// Every path in a YAML file, maps and leaves.
void collect(const YAML::Node& node, const std::string& prefix, std::set<std::string>& paths) {
  for (const auto& entry : node) {
    const std::string path = prefix + entry.first.as<std::string>();
    paths.insert(path);
    if (entry.second.IsMap()) collect(entry.second, path + ".", paths);
  }
}

bool told_of(const std::string& path) {
  for (const DlcKey& key : dlc_keys()) {
    const std::string name = key.key;
    if (path == name || name.starts_with(path + ".")) return true;  // the key, or a section that holds keys
    if (key.treatment == DlcTreatment::ignored && path.starts_with(name + "."))
      return true;  // inside an ignored section
  }
  return false;
}

class ShippedDlcConfig : public testing::TestWithParam<const char*> {
 protected:
  std::filesystem::path file() const {
    return tests::test_data_folder() / "data" / "dlc-written" / GetParam() / "pytorch_config.yaml";
  }
  void SetUp() override {
    if (!std::filesystem::exists(file())) GTEST_SKIP() << file() << " is not here";
  }
};

TEST_P(ShippedDlcConfig, TableTellsOfEveryKey) {
  std::set<std::string> paths;
  collect(YAML::LoadFile(file().string()), "", paths);
  EXPECT_GT(paths.size(), 70u);
  for (const std::string& path : paths) EXPECT_TRUE(told_of(path)) << path;
}

TEST_P(ShippedDlcConfig, IsObeyed) {
  const bool newer = std::string(GetParam()) == "3.0.2";
  const DlcImport import = read_dlc_config(file());
  const trainer::TrainingOptions& t = import.config.training;
  EXPECT_THAT(import.bodyparts, ElementsAre("snout", "leftear", "rightear", "tailbase"));
  EXPECT_EQ(t.net_type, "resnet_50");
  EXPECT_EQ(t.global_batch, 8);
  EXPECT_EQ(t.epochs, newer ? 3 : 200);
  EXPECT_EQ(t.save_epochs, newer ? 3 : 25);
  EXPECT_EQ(t.eval_interval, newer ? 10000 : 10);
  EXPECT_EQ(t.seed, 42u);
  EXPECT_EQ(t.max_snapshots, 5);
  EXPECT_EQ(t.schedule.learning_rate, 5e-4);
  EXPECT_THAT(t.schedule.milestones, ElementsAre(90, 120));
  EXPECT_THAT(t.schedule.rates, ElementsAre(1e-4, 1e-5));
  EXPECT_EQ(t.loss.heatmap_weight, 1.0);
  EXPECT_EQ(t.loss.locref_weight, 0.05);
  EXPECT_EQ(t.targets.pos_dist_thresh_px, 17);
  EXPECT_FALSE(t.targets.gradient_masking);
  EXPECT_TRUE(t.augmentation.affine);
  EXPECT_EQ(t.augmentation.affine_p, 0.5);
  EXPECT_EQ(t.augmentation.rotation_deg, 30);
  EXPECT_EQ(t.augmentation.scaling, (std::array{0.5, 1.25}));
  EXPECT_TRUE(t.augmentation.crop);
  EXPECT_EQ(t.augmentation.crop_method, "hybrid");
  EXPECT_TRUE(t.augmentation.motion_blur);
  EXPECT_EQ(t.augmentation.gaussian_noise, 12.75);
  EXPECT_EQ(import.config.device, newer ? trainer::DeviceChoice::cpu : trainer::DeviceChoice::automatic);
  EXPECT_THAT(import.remarks,
              testing::Contains(AllOf(HasSubstr("runner.key_metric = test.mAP"), HasSubstr("fewer than two"))));
}

INSTANTIATE_TEST_SUITE_P(Versions, ShippedDlcConfig, testing::Values("3.0.0rc10", "3.0.2"), [](const auto& version) {
  return std::string(version.param) == "3.0.2" ? "release302" : "rc10";
});

TEST(DlcConfig, EveryObeyedKeyNamesKnownKeysAndNoKeyComesTwice) {
  RunConfig config;
  std::set<std::string> known, seen;
  for (const ConfigField& field : config_fields(config)) known.insert(field.key);
  for (const DlcKey& key : dlc_keys()) {
    EXPECT_TRUE(seen.insert(key.key).second) << key.key;
    if (key.treatment == DlcTreatment::ignored) {
      EXPECT_STRNE(key.note, "") << key.key << " is ignored without a reason";
    }
    if (key.treatment != DlcTreatment::obeyed) continue;
    std::istringstream names(key.value);
    for (std::string name; std::getline(names >> std::ws, name, ',');)
      EXPECT_TRUE(known.contains(name)) << key.key << ": " << name;
  }
}

TEST(DlcConfig, DocumentationIsTheTable) {
  const auto page = std::filesystem::path(RINGPOSE_SOURCE_DIR) / "launch" / "DLC_CONFIG.md";
  // RINGPOSE_UPDATE_DOCUMENTATION=1 writes the page anew.
  if (std::getenv("RINGPOSE_UPDATE_DOCUMENTATION") != nullptr) std::ofstream(page) << dlc_config_markdown();
  EXPECT_EQ(read_text_file(page), dlc_config_markdown());
}

TEST(DlcConfig, WhatIsLeftOutIsOffAsInDeepLabCut) {
  const DlcImport import = read_dlc_config_text(kSmall, "pytorch_config.yaml");
  EXPECT_EQ(import.config.training.global_batch, 16);
  EXPECT_EQ(import.config.training.epochs, 50);
  EXPECT_EQ(import.config.training.seed, 7u);
  EXPECT_EQ(import.config.training.schedule.learning_rate, 0.001);
  EXPECT_TRUE(import.config.training.schedule.milestones.empty());
  EXPECT_FALSE(import.config.training.augmentation.affine);
  EXPECT_FALSE(import.config.training.augmentation.crop);
  EXPECT_FALSE(import.config.training.augmentation.motion_blur);
  EXPECT_EQ(import.config.training.augmentation.gaussian_noise, 0);
  EXPECT_THAT(import.remarks, ElementsAre(AllOf(HasSubstr("runner.gpus"), HasSubstr("ranks' business"))));
}

TEST(DlcConfig, ReadsTheFormsOfTransforms) {
  const auto noise = [](const std::string& value) {
    return read_dlc_config_text(std::string(kSmall) + "data: {train: {gaussian_noise: " + value + "}}\n", "f")
        .config.training.augmentation.gaussian_noise;
  };
  EXPECT_EQ(noise("true"), 12.75);
  EXPECT_EQ(noise("false"), 0);
  EXPECT_EQ(noise("null"), 0);
  EXPECT_EQ(noise("3"), 3);
  const auto affine = read_dlc_config_text(std::string(kSmall) + "data: {train: {affine: {rotation: 10}}}\n", "f")
                          .config.training.augmentation;
  EXPECT_TRUE(affine.affine);
  EXPECT_EQ(affine.affine_p, 0.9);
  EXPECT_EQ(affine.rotation_deg, 10);
  EXPECT_EQ(affine.scaling, (std::array{1.0, 1.0}));
}

TEST(DlcConfig, RefusesWhatItCannotDo) {
  EXPECT_THAT(
      error_of(replaced(kSmall, "net_type: resnet_50", "net_type: hrnet_w32")),
      AllOf(HasSubstr("pytorch_config.yaml:1"), HasSubstr("net_type is hrnet_w32"), HasSubstr("expected resnet_50")));
  EXPECT_THAT(error_of(replaced(kSmall, "type: AdamW", "type: SGD")),
              AllOf(HasSubstr("runner.optimizer.type is SGD"), HasSubstr("[AdamW]")));
  EXPECT_THAT(error_of(replaced(kSmall, "[animal]", "[a, b]")), HasSubstr("metadata.individuals"));
  EXPECT_THAT(error_of(replaced(kSmall, "num_heatmaps: 2", "num_heatmaps: 3")),
              AllOf(HasSubstr("num_heatmaps is 3"), HasSubstr("expected 2")));
  EXPECT_THAT(error_of(replaced(kSmall, "[2048, 2]", "[512, 2]")), HasSubstr("heatmap_config.channels"));
  EXPECT_THAT(error_of(replaced(kSmall, "locref_std: 7.2801", "locref_std: 0x")), HasSubstr("a number"));
  EXPECT_THAT(error_with("detector: {model: x}\n"), HasSubstr("top-down"));
  EXPECT_THAT(error_with("data: {train: {hflip: true}}\n"),
              AllOf(HasSubstr("data.train.hflip is true"), HasSubstr("no such transform")));
  EXPECT_THAT(error_with("data: {train: {covering: true}}\n"), HasSubstr("covering"));
  EXPECT_THAT(error_with("data: {train: {elastic_transform: {alpha: 1}}}\n"), HasSubstr("elastic_transform"));
  EXPECT_THAT(error_with("resume_training_from: x.pt\n"), HasSubstr("use --resume"));
  EXPECT_THAT(error_with("device: mps\n"), HasSubstr("expected auto, cuda or cpu"));
  EXPECT_EQ(error_with("data: {train: {hflip: false, covering: null, elastic_transform: }}\n"), "no ConfigError");
}

TEST(DlcConfig, NamesTheNearestKeyOfAnUnknownOne) {
  EXPECT_THAT(error_with("data: {train: {motion_blurr: true}}\n"),
              AllOf(HasSubstr("unknown key 'data.train.motion_blurr'"), HasSubstr("'data.train.motion_blur'")));
}

TEST(DlcConfig, RefusesAFileThatIsNone) {
  EXPECT_THAT(error_of("Task: reach\nbodyparts: [nose]\n"), HasSubstr("no pytorch_config.yaml"));
}

}  // namespace
}  // namespace ringpose::launch
