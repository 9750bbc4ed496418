#include "launch/config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "data/error.hpp"
#include "launch/nearest_name.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ringpose::launch {
namespace {

using testing::AllOf;
using testing::HasSubstr;

template <typename Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const data::ConfigError& error) {
    return error.what();
  }
  return "no ConfigError";
}

std::string text_error(const std::string& yaml) {
  RunConfig config;
  return error_of([&] { apply_config_text(config, yaml, "run.yaml"); });
}

std::string setting_error(const std::string& setting) {
  RunConfig config;
  return error_of([&] { apply_setting(config, setting); });
}

TEST(Config, DefaultsAreDeepLabCuts) {
  // From the pytorch_config.yaml that DeepLabCut writes for resnet_50.
  const RunConfig config;
  const trainer::TrainingOptions& t = config.training;
  EXPECT_EQ(t.net_type, "resnet_50");
  EXPECT_EQ(t.epochs, 200);
  EXPECT_EQ(t.global_batch, 8);
  EXPECT_EQ(t.seed, 42u);
  EXPECT_EQ(t.eval_interval, 10);
  EXPECT_EQ(t.save_epochs, 25);
  EXPECT_EQ(t.max_snapshots, 5);
  EXPECT_EQ(t.schedule.learning_rate, 5e-4);
  EXPECT_THAT(t.schedule.milestones, testing::ElementsAre(90, 120));
  EXPECT_THAT(t.schedule.rates, testing::ElementsAre(1e-4, 1e-5));
  EXPECT_EQ(t.loss.locref_weight, 0.05);
  EXPECT_EQ(t.targets.locref_std, 7.2801);
  EXPECT_EQ(t.augmentation.crop_width_px, 448);
  EXPECT_EQ(t.augmentation.gaussian_noise, 12.75);
  EXPECT_NO_THROW(config.validate());
}

TEST(Config, ReadsEveryKindOfValueAndPrintsItBack) {
  RunConfig config;
  apply_config_text(config,
                    "model: {net_type: resnet_18}\ntraining:\n  epochs: 3\n  seed: 18446744073709551615\n"
                    "optimizer: {learning_rate: 1e-3, milestones: [1, 2], rates: [1e-4, 3e-5]}\n"
                    "augmentation: {scaling: [0.75, 1.5], affine: false}\nrun: {device: cpu, precision: fp32}\n",
                    "run.yaml");
  EXPECT_EQ(config.training.net_type, "resnet_18");
  EXPECT_EQ(config.training.epochs, 3);
  EXPECT_EQ(config.training.seed, 18446744073709551615ULL);
  EXPECT_EQ(config.training.schedule.learning_rate, 1e-3);
  EXPECT_THAT(config.training.schedule.rates, testing::ElementsAre(1e-4, 3e-5));
  EXPECT_EQ(config.training.augmentation.scaling, (std::array{0.75, 1.5}));
  EXPECT_FALSE(config.training.augmentation.affine);
  EXPECT_EQ(config.device, trainer::DeviceChoice::cpu);
  EXPECT_EQ(config.training.precision, trainer::Precision::fp32);
  RunConfig again;
  apply_config_text(again, to_yaml(config), "printed");
  EXPECT_EQ(to_yaml(again), to_yaml(config));
  EXPECT_EQ(again.training.seed, config.training.seed);
  EXPECT_EQ(again.training.schedule.rates, config.training.schedule.rates);
  EXPECT_EQ(again.device, config.device);
}

TEST(Config, EveryFieldSurvivesPrinting) {
  RunConfig config;
  for (const ConfigField& field : config_fields(config)) {
    // Any other value than the default, so that a field bound to the wrong key would show.
    std::visit(
        [](auto* value) {
          using T = std::remove_cvref_t<decltype(*value)>;
          if constexpr (std::is_same_v<T, bool>)
            *value = !*value;
          else if constexpr (std::is_arithmetic_v<T>)
            *value += 3;
        },
        field.target);
  }
  RunConfig again;
  apply_config_text(again, to_yaml(config), "printed");
  EXPECT_EQ(to_yaml(again), to_yaml(config));
  EXPECT_NE(to_yaml(again), to_yaml(RunConfig{}));
}

TEST(Config, NamesLineAndNearestKeyOfATypo) {
  EXPECT_THAT(text_error("training:\n  epochs: 3\n  global_bach: 8\n"),
              AllOf(HasSubstr("run.yaml:3"), HasSubstr("unknown key 'training.global_bach'"),
                    HasSubstr("'training.global_batch'")));
  EXPECT_THAT(text_error("trainig:\n  epochs: 3\n"),
              AllOf(HasSubstr("run.yaml:2"), HasSubstr("'trainig'"), HasSubstr("'training'")));
}

TEST(Config, NamesTheValueThatDoesNotFit) {
  EXPECT_THAT(text_error("training:\n  epochs: many\n"),
              AllOf(HasSubstr("run.yaml:2"), HasSubstr("training.epochs is 'many'"), HasSubstr("a whole number")));
  EXPECT_THAT(text_error("training: {epochs: 2.5}"), HasSubstr("a whole number"));
  EXPECT_THAT(text_error("training: {seed: -1}"), HasSubstr("0 or more"));
  EXPECT_THAT(text_error("augmentation: {scaling: [1, 2, 3]}"), HasSubstr("a list of two numbers"));
  EXPECT_THAT(text_error("run: {device: gpu}"), HasSubstr("auto, cuda or cpu"));
  EXPECT_THAT(text_error("training: [1]"), HasSubstr("'training'"));
  EXPECT_THAT(text_error("training: {epochs: 1}\ntraining: {epochs: 2}\n"), HasSubstr("given twice"));
  EXPECT_THAT(text_error("training: {epochs: 1\n"), HasSubstr("no YAML"));
}

TEST(Config, SettingsOverrideOneKey) {
  RunConfig config;
  apply_setting(config, "optimizer.rates=[1e-5, 1e-6]");
  apply_setting(config, "training.epochs=7");
  EXPECT_EQ(config.training.epochs, 7);
  EXPECT_THAT(config.training.schedule.rates, testing::ElementsAre(1e-5, 1e-6));
  EXPECT_THAT(setting_error("training.epoch=7"),
              AllOf(HasSubstr("--set training.epoch=7"), HasSubstr("'training.epochs'")));
  EXPECT_THAT(setting_error("training.epochs"), HasSubstr("section.name=value"));
  EXPECT_THAT(setting_error("training.epochs=x"), HasSubstr("a whole number"));
}

TEST(Config, ValidateNamesTheField) {
  const auto invalid = [](const std::string& setting) {
    RunConfig config;
    apply_setting(config, setting);
    return error_of([&] { config.validate(); });
  };
  EXPECT_THAT(invalid("training.epochs=0"), HasSubstr("training.epochs is 0"));
  EXPECT_THAT(invalid("training.global_batch=0"), HasSubstr("training.global_batch is 0"));
  EXPECT_THAT(invalid("optimizer.learning_rate=-1"), HasSubstr("optimizer.learning_rate is -1"));
  EXPECT_THAT(invalid("optimizer.rates=[1e-4]"), HasSubstr("optimizer.milestones has 2 entries and optimizer.rates 1"));
  EXPECT_THAT(invalid("model.net_type=resnet_34"), HasSubstr("resnet_34"));
  EXPECT_THAT(invalid("targets.locref_std=0"), HasSubstr("targets.locref_std is 0"));
  EXPECT_THAT(invalid("run.cpu_threads=-1"), HasSubstr("cpu_threads is -1"));
}

TEST(Config, ShippedFilesAreReadAndTheReferenceIsTheDefault) {
  const std::filesystem::path configs = std::filesystem::path(RINGPOSE_SOURCE_DIR) / "launch" / "configs";
  for (const char* name : {"resnet50_dlc.yaml", "minimal.yaml"}) {
    RunConfig config;
    apply_config_file(config, configs / name);
    EXPECT_EQ(to_yaml(config), to_yaml(RunConfig{})) << name;
  }
  const std::string reference = read_text_file(configs / "resnet50_dlc.yaml");
  RunConfig config;
  for (const ConfigField& field : config_fields(config))
    EXPECT_THAT(reference, HasSubstr("\n  " + field.key.substr(field.key.find('.') + 1) + ":")) << field.key;
}

TEST(Config, MissingFileIsAnIoError) {
  RunConfig config;
  EXPECT_THROW(apply_config_file(config, "/nowhere/run.yaml"), data::IoError);
}

TEST(NearestName, CountsEdits) {
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(edit_distance("same", "same"), 0);
  EXPECT_EQ(nearest_name("epoch", {"seed", "epochs", "batch"}), "epochs");
  EXPECT_EQ(nearest_name("x", {}), "");
}

}  // namespace
}  // namespace ringpose::launch
