#include "launch/run_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "data/error.hpp"
#include "data/file_bytes.hpp"
#include "launch/training_progress.hpp"
#include "tests/support/small_mount.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ringpose::launch {
namespace {

TEST(RunFolder, AFolderWithSomethingInItNeedsResume) {
  const tests::TemporaryFolder folder;
  EXPECT_NO_THROW(require_free_run_folder(folder.path(), std::nullopt));
  EXPECT_NO_THROW(require_free_run_folder(folder / "new", std::nullopt));
  std::ofstream(folder / "notes.txt") << "mine";
  EXPECT_THROW(require_free_run_folder(folder.path(), std::nullopt), data::ConfigError);
  EXPECT_NO_THROW(require_free_run_folder(folder.path(), std::filesystem::path()));
  EXPECT_THROW(require_free_run_folder(folder / "notes.txt", std::nullopt), data::ConfigError);
}

TEST(RunFolder, ARunThatEndedBeforeItsFirstSnapshotMayStartAnew) {
  const tests::TemporaryFolder folder;
  for (const char* name : {"run.yaml", "learning_stats.csv"}) std::ofstream(folder / name) << "x";
  EXPECT_NO_THROW(require_free_run_folder(folder.path(), std::nullopt));
  std::ofstream(folder / "snapshot-010.safetensors") << "x";
  EXPECT_THROW(require_free_run_folder(folder.path(), std::nullopt), data::ConfigError);
}

TEST(RunFolder, ResumesFromTheNewestOrTheOneNamed) {
  const tests::TemporaryFolder folder;
  EXPECT_THROW((void)find_resume_snapshot(folder.path(), ""), data::ConfigError);
  for (const char* name : {"snapshot-010.safetensors", "snapshot-020.safetensors"}) std::ofstream(folder / name) << "x";
  EXPECT_EQ(find_resume_snapshot(folder.path(), ""), folder / "snapshot-020.safetensors");
  EXPECT_EQ(find_resume_snapshot(folder.path(), "elsewhere.safetensors"), "elsewhere.safetensors");
}

TEST(RunFolder, LeavesNothingWhereItCannotWrite) {
  const tests::TemporaryFolder folder;
  static_cast<void>(create_run_folder(folder / "a" / "b", "training:\n"));
  EXPECT_TRUE(std::filesystem::exists(folder / "a" / "b" / "run.yaml"));
  std::filesystem::create_directory(folder / "locked");
  const tests::SmallMount mount(folder / "locked", tests::SmallMount::Kind::kReadOnly);
  if (!mount.mounted()) GTEST_SKIP() << "mounting is not permitted here";
  EXPECT_THROW(static_cast<void>(create_run_folder(folder / "locked" / "run", "x")), data::IoError);
  EXPECT_TRUE(std::filesystem::is_empty(folder / "locked"));
}

TEST(RunFolder, HoldsOneRunAtATime) {
  const tests::TemporaryFolder folder;
  {
    const RunFolderLock first = create_run_folder(folder / "run", "first");
    EXPECT_THROW(static_cast<void>(create_run_folder(folder / "run", "second")), data::ConfigError);
    EXPECT_EQ(data::read_file_bytes(folder / "run" / "run.yaml").front(), 'f');
  }
  EXPECT_NO_THROW(static_cast<void>(create_run_folder(folder / "run", "third")));
}

TEST(TrainingProgress, LineTellsWhatMatters) {
  const trainer::Progress progress{12, 200, 7, 14, 0.00345, 53.84, 0.02, 185};
  EXPECT_EQ(progress_line(progress, {}),
            "epoch 12/200 step 7/14  loss 0.003450  53.8 images/s  data wait 2 %  3 min 05 s left");
  EXPECT_THAT(progress_line(progress, {97, -1}), testing::HasSubstr("GPU 97/? %"));
  EXPECT_EQ(duration_text(59.6), "1 min 00 s");
  EXPECT_EQ(duration_text(7384), "2 h 03 min");
}

}  // namespace
}  // namespace ringpose::launch
