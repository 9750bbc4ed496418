#include "data/atomic_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <iterator>

#include "data/error.hpp"
#include "tests/support/small_mount.hpp"
#include "tests/support/small_project.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ringpose::data {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

std::ptrdiff_t files_in(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

TEST(AtomicFile, ALinkToNothingOrToItselfIsRefusedAndKept) {
  const tests::TemporaryFolder folder;
  fs::create_symlink(folder / "gone", folder / "dangling");
  fs::create_symlink("loop", folder / "loop");
  for (const char* name : {"dangling", "loop"}) {
    EXPECT_THROW(write_file_atomically(folder / name, "x"), IoError);
    EXPECT_TRUE(fs::is_symlink(folder / name));
  }
}

TEST(AtomicFile, AppearsOnCommitOnly) {
  const tests::TemporaryFolder folder;
  AtomicFile file(folder / "a.txt");
  tests::write_text(file.temporary_path(), "new");
  EXPECT_FALSE(fs::exists(folder / "a.txt"));
  EXPECT_EQ(file.temporary_path().parent_path(), folder.path());
  file.commit();
  EXPECT_EQ(tests::read_text(folder / "a.txt"), "new");
  EXPECT_EQ(files_in(folder.path()), 1);
}

TEST(AtomicFile, KeepsTheOlderFileWithoutCommit) {
  const tests::TemporaryFolder folder;
  tests::write_text(folder / "a.txt", "old");
  {
    const AtomicFile file(folder / "a.txt");
    tests::write_text(file.temporary_path(), "half");
  }
  EXPECT_EQ(tests::read_text(folder / "a.txt"), "old");
  EXPECT_EQ(files_in(folder.path()), 1);
  write_file_atomically(folder / "a.txt", "new");
  EXPECT_EQ(tests::read_text(folder / "a.txt"), "new");
}

TEST(AtomicFile, KeepsALinkAndReplacesItsTarget) {
  const tests::TemporaryFolder folder;
  fs::create_directory(folder / "far");
  tests::write_text(folder / "far" / "a.txt", "old");
  fs::create_symlink(folder / "far" / "a.txt", folder / "link.txt");
  write_file_atomically(folder / "link.txt", "new");
  EXPECT_TRUE(fs::is_symlink(folder / "link.txt"));
  EXPECT_EQ(tests::read_text(folder / "far" / "a.txt"), "new");
}

TEST(AtomicFile, LeavesDevicesAndPipesAlone) {
  const tests::TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_THAT([&] { write_file_atomically(folder / "pipe", "x"); },
              ThrowsMessage<IoError>(HasSubstr("no regular file")));
  EXPECT_TRUE(fs::is_fifo(folder / "pipe"));
  EXPECT_THROW(write_file_atomically("/dev/null", "x"), IoError);
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(AtomicFile, ASignalTakesTheTemporaryFileAway) {
  const tests::TemporaryFolder folder;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    remove_temporary_files_on_signals();
    const AtomicFile file(folder / "a.txt");
    ::raise(SIGTERM);
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
  EXPECT_EQ(files_in(folder.path()), 0);
}

TEST(AtomicFile, AFileOfAnotherKindIsNotReplaceable) {
  const tests::TemporaryFolder folder;
  const auto is_a = [](const fs::path& path) { return tests::read_text(path).starts_with("a"); };
  EXPECT_NO_THROW(require_replaceable(folder / "none", "text", is_a));
  tests::write_text(folder / "empty", "");
  EXPECT_NO_THROW(require_replaceable(folder / "empty", "text", is_a));
  tests::write_text(folder / "a", "abc");
  EXPECT_NO_THROW(require_replaceable(folder / "a", "text", is_a));
  tests::write_text(folder / "b", "bcd");
  EXPECT_THAT([&] { require_replaceable(folder / "b", "text", is_a); },
              ThrowsMessage<IoError>(AllOf(HasSubstr("is no text"), HasSubstr("would be lost"))));
}

TEST(AtomicFile, TwoWritersDoNotShareATemporaryFile) {
  const tests::TemporaryFolder folder;
  const AtomicFile one(folder / "a.txt");
  const AtomicFile two(folder / "a.txt");
  EXPECT_NE(one.temporary_path(), two.temporary_path());
}

TEST(AtomicFile, RefusesMissingFoldersAndFolders) {
  const tests::TemporaryFolder folder;
  EXPECT_THAT([&] { AtomicFile(folder / "none" / "a.txt"); },
              ThrowsMessage<IoError>(AllOf(HasSubstr("none/a.txt"), HasSubstr("No such file"),
                                           HasSubstr("the folder it stands in must exist"))));
  EXPECT_THAT([&] { AtomicFile(folder.path()); }, ThrowsMessage<IoError>(HasSubstr("Is a directory")));
}

TEST(AtomicFile, TellsAFullDisk) {
  const tests::TemporaryFolder folder;
  const tests::SmallMount disk(folder.path(), tests::SmallMount::Kind::kFull);
  if (!disk.mounted()) GTEST_SKIP() << "mounting a small tmpfs is not permitted here";
  EXPECT_THAT(
      [&] { write_file_atomically(folder / "a.txt", std::string(200000, 'x')); },
      ThrowsMessage<IoError>(AllOf(HasSubstr("a.txt"), HasSubstr("No space left"), HasSubstr("free some space"))));
  EXPECT_EQ(files_in(folder.path()), 0);
}

TEST(AtomicFile, TellsAReadOnlyDisk) {
  const tests::TemporaryFolder folder;
  const tests::SmallMount disk(folder.path(), tests::SmallMount::Kind::kReadOnly);
  if (!disk.mounted()) GTEST_SKIP() << "a read-only bind mount is not permitted here";
  EXPECT_THAT([&] { write_file_atomically(folder / "a.txt", "x"); },
              ThrowsMessage<IoError>(AllOf(HasSubstr("a.txt"), HasSubstr("read-only"))));
}

}  // namespace
}  // namespace ringpose::data
