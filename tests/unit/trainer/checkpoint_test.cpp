#include "trainer/checkpoint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>

#include "data/error.hpp"
#include "tests/support/small_mount.hpp"
#include "tests/support/temporary_folder.hpp"
#include "trainer/safetensors.hpp"

namespace ringpose::trainer {
namespace {

using testing::HasSubstr;
using testing::Optional;

Checkpoint example() {
  torch::manual_seed(3);
  Checkpoint checkpoint;
  checkpoint.model = {{"heads.weight", torch::randn({3, 2})}, {"backbone.bias", torch::randn({5})}};
  for (int i = 0; i < 12; ++i) {  // more than ten: "10" sorts before "2" as text
    checkpoint.exp_avg.push_back(torch::full({2}, i));
    checkpoint.exp_avg_sq.push_back(torch::full({2}, -i));
  }
  checkpoint.optimizer_steps = 31;
  checkpoint.epoch = 4;
  checkpoint.step = 3;
  checkpoint.global_step = 31;
  checkpoint.seed = 18446744073709551615ULL;
  checkpoint.global_batch = 8;
  checkpoint.world_size = 2;
  checkpoint.cpu_threads = 3;
  checkpoint.dataset_digest = "abc";
  checkpoint.config_yaml = "training:\n  epochs: 4 # \"quoted\" µ\n";
  checkpoint.net_type = "resnet_18";
  checkpoint.best_metric = std::numeric_limits<double>::quiet_NaN();
  checkpoint.best_epoch = -1;
  checkpoint.epoch_sums = {{"rank0.total", 0.1}, {"rank1.total", 1.0 / 3.0}};
  checkpoint.project.task = "reach";
  checkpoint.project.skeleton = {{"nose", "tail"}, {{0, 1}}};
  return checkpoint;
}

std::string read_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string load_error(const std::filesystem::path& path) {
  try {
    (void)load_checkpoint(path);
  } catch (const data::FormatError& error) {
    return error.what();
  }
  return "no FormatError";
}

TEST(Checkpoint, RoundTripsEverything) {
  const tests::TemporaryFolder folder;
  const Checkpoint saved = example();
  save_checkpoint(folder / "snapshot-004.safetensors", saved);
  const Checkpoint loaded = load_checkpoint(folder / "snapshot-004.safetensors");
  ASSERT_EQ(loaded.model.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(loaded.model[i].first, saved.model[i].first);
    EXPECT_TRUE(torch::equal(loaded.model[i].second, saved.model[i].second));
  }
  ASSERT_EQ(loaded.exp_avg.size(), 12u);
  ASSERT_EQ(loaded.exp_avg_sq.size(), 12u);
  for (int i = 0; i < 12; ++i) {
    EXPECT_EQ(loaded.exp_avg[i][0].item<float>(), i);
    EXPECT_EQ(loaded.exp_avg_sq[i][0].item<float>(), -i);
  }
  EXPECT_EQ(loaded.optimizer_steps, 31);
  EXPECT_EQ(loaded.epoch, 4);
  EXPECT_EQ(loaded.step, 3);
  EXPECT_EQ(loaded.global_step, 31);
  EXPECT_EQ(loaded.seed, 18446744073709551615ULL);
  EXPECT_EQ(loaded.global_batch, 8);
  EXPECT_EQ(loaded.world_size, 2);
  EXPECT_EQ(loaded.cpu_threads, 3);
  EXPECT_EQ(loaded.dataset_digest, "abc");
  EXPECT_EQ(loaded.config_yaml, saved.config_yaml);
  EXPECT_EQ(loaded.net_type, "resnet_18");
  EXPECT_TRUE(std::isnan(loaded.best_metric));
  EXPECT_EQ(loaded.best_epoch, -1);
  EXPECT_EQ(loaded.epoch_sums, saved.epoch_sums);
  EXPECT_EQ(loaded.project.task, "reach");
  EXPECT_EQ(loaded.project.skeleton, saved.project.skeleton);
}

TEST(Checkpoint, NoticesEveryFlippedBit) {
  const tests::TemporaryFolder folder;
  save_checkpoint(folder / "good.safetensors", example());
  const std::string good = read_bytes(folder / "good.safetensors");
  for (std::size_t byte = 0; byte < good.size(); ++byte) {
    for (const std::size_t bit : {byte % 8, std::size_t{5}}) {  // bit 5 makes a zero of the blanks that pad the header
      std::string bad = good;
      bad[byte] = static_cast<char>(bad[byte] ^ (1 << bit));
      std::ofstream(folder / "bad.safetensors", std::ios::binary) << bad;
      EXPECT_THROW((void)load_checkpoint(folder / "bad.safetensors"), data::FormatError)
          << "byte " << byte << " of " << good.size() << ", bit " << bit;
    }
  }
}

TEST(Checkpoint, RefusesEveryTruncation) {
  const tests::TemporaryFolder folder;
  save_checkpoint(folder / "good.safetensors", example());
  const std::string good = read_bytes(folder / "good.safetensors");
  for (std::size_t size = 0; size < good.size(); size += 13) {
    std::ofstream(folder / "bad.safetensors", std::ios::binary) << good.substr(0, size);
    EXPECT_THROW((void)load_checkpoint(folder / "bad.safetensors"), data::FormatError) << size << " bytes";
  }
}

TEST(Checkpoint, SaysWhatIsWrong) {
  const tests::TemporaryFolder folder;
  write_safetensors(folder / "weights.safetensors", {{{"conv1.weight", torch::zeros({2})}}, {}});
  EXPECT_THAT(load_error(folder / "weights.safetensors"), HasSubstr("no ringpose checkpoint"));
  save_checkpoint(folder / "new.safetensors", example());
  TensorFile newer = read_safetensors(folder / "new.safetensors");
  newer.metadata["ringpose_format"] = "2";
  write_safetensors(folder / "new.safetensors", newer);
  EXPECT_THAT(load_error(folder / "new.safetensors"), HasSubstr("format 2, this ringpose reads format 1"));
  EXPECT_THROW((void)load_checkpoint(folder / "missing.safetensors"), data::IoError);
}

TEST(Checkpoint, LeavesNothingOnAFullDisk) {
  const tests::TemporaryFolder folder;
  const tests::SmallMount disk(folder.path(), tests::SmallMount::Kind::kFull);
  if (!disk.mounted()) GTEST_SKIP() << "mounting a tmpfs is not permitted here";
  Checkpoint large = example();
  large.model.emplace_back("large", torch::zeros({100000}));
  EXPECT_THROW(save_checkpoint(folder / "snapshot-001.safetensors", large), data::IoError);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(ResumeObstacle, NamesWhatDiffers) {
  const Checkpoint saved = example();
  const ResumeFacts same{"abc", saved.project.skeleton, "resnet_18", 8, saved.seed};
  EXPECT_EQ(resume_obstacle(saved, same), std::nullopt);
  const auto differing = [&same](auto change) {
    ResumeFacts facts = same;
    change(facts);
    return facts;
  };
  EXPECT_THAT(resume_obstacle(saved, differing([](auto& f) { f.dataset_digest = "abd"; })),
              Optional(HasSubstr("digest abc")));
  EXPECT_THAT(resume_obstacle(saved, differing([](auto& f) {
                                f.skeleton.bodyparts = {"nose", "ear"};
                              })),
              Optional(HasSubstr("[nose, ear]")));
  EXPECT_THAT(resume_obstacle(saved, differing([](auto& f) { f.net_type = "resnet_50"; })),
              Optional(HasSubstr("net_type resnet_18")));
  EXPECT_THAT(resume_obstacle(saved, differing([](auto& f) { f.global_batch = 9; })),
              Optional(HasSubstr("global batch 8")));
  EXPECT_THAT(resume_obstacle(saved, differing([](auto& f) { f.seed = 1; })), Optional(HasSubstr("this run has 1")));
  Checkpoint best = saved;
  best.exp_avg.clear();
  EXPECT_THAT(resume_obstacle(best, same), Optional(HasSubstr("without optimizer state")));
}

}  // namespace
}  // namespace ringpose::trainer
