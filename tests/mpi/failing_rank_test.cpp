// A failing rank ends the whole job: soon, with a non-zero exit code, and no process is left.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

namespace {

using std::chrono::duration;
using std::chrono::steady_clock;

struct Outcome {
  int exit_code = -1;
  double seconds = 0;
  std::string output;
  bool processes_left = false;
};

constexpr double kLimitSeconds = 10;

/// A new folder, removed at the end.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "ringpose-failing-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Whether the process still runs. A dead process that nobody has reaped (no init in a container) is no process left
/// behind.
bool runs(const std::string& process_id) {
  std::ifstream stream("/proc/" + process_id + "/stat");
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const auto name_end = text.rfind(") ");
  return name_end != std::string::npos && text.at(name_end + 2) != 'Z';
}

/// Whether a process named by a file of the folder runs a second after the launcher's end.
bool any_runs(const std::filesystem::path& folder) {
  const auto found = [&folder] {
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      if (runs(entry.path().filename().string())) return true;
    return false;
  };
  for (int attempt = 0; attempt < 20 && found(); ++attempt) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  return found();
}

Outcome run(const std::string& launcher, const std::string& program, const std::string& arguments) {
  const Folder folder;
  const auto ranks = folder.path() / "ranks";
  std::filesystem::create_directory(ranks);
  const auto output = folder.path() / "output";
  std::string command = "timeout -k 2 " + std::to_string(static_cast<int>(kLimitSeconds)) + " " + launcher + " " +
                        program + " " + arguments;
  if (const auto at = command.find("FOLDER"); at != std::string::npos) command.replace(at, 6, ranks.string());
  const auto start = steady_clock::now();
  const int status = std::system((command + " >" + output.string() + " 2>&1").c_str());
  Outcome outcome;
  outcome.seconds = duration<double>(steady_clock::now() - start).count();
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  std::ifstream stream(output);
  outcome.output.assign(std::istreambuf_iterator<char>(stream), {});
  outcome.processes_left = any_runs(ranks);
  return outcome;
}

std::string launcher(int ranks, const std::string& settings = "") {
  return "env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1 "
         "OMPI_MCA_hwloc_base_binding_policy=none " +
         settings + " " RINGPOSE_MPIEXEC " --oversubscribe -n " + std::to_string(ranks);
}

Outcome run_mode(const std::string& mode, int ranks) {
  return run(launcher(ranks), RINGPOSE_FAILING_RANK, mode + " FOLDER");
}

void expect_ended(const Outcome& outcome) {
  EXPECT_LT(outcome.seconds, kLimitSeconds) << outcome.output;
  EXPECT_FALSE(outcome.processes_left) << outcome.output;
}

TEST(FailingRank, NoneFails) {
  const auto outcome = run_mode("pass", 3);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  expect_ended(outcome);
}

TEST(FailingRank, OneThrows) {
  const auto outcome = run_mode("one_throws", 3);
  EXPECT_EQ(outcome.exit_code, 1) << outcome.output;
  EXPECT_NE(outcome.output.find("[rank 2] made to fail"), std::string::npos) << outcome.output;
  expect_ended(outcome);
}

TEST(FailingRank, AllThrow) {
  const auto outcome = run_mode("all_throw", 3);
  EXPECT_EQ(outcome.exit_code, 1) << outcome.output;
  expect_ended(outcome);
}

TEST(FailingRank, AbortKeepsItsExitCode) {
  const auto outcome = run_mode("abort_7", 3);
  EXPECT_EQ(outcome.exit_code, 7) << outcome.output;
  expect_ended(outcome);
}

/// The exception passes through the environment itself: no finalize, which would wait for the others.
TEST(FailingRank, OneUnwindsPastTheEnvironment) {
  const auto outcome = run_mode("unwind_all", 3);
  EXPECT_EQ(outcome.exit_code, 4) << outcome.output;
  EXPECT_NE(outcome.output.find("unwound: made to fail"), std::string::npos) << outcome.output;
  expect_ended(outcome);
}

TEST(FailingRank, AllReturnAnExitCode) {
  const auto outcome = run_mode("exit_code", 3);
  EXPECT_EQ(outcome.exit_code, 5) << outcome.output;
  expect_ended(outcome);
}

TEST(SingleProcess, NeedsNoLauncher) {
  const auto good = run("", RINGPOSE_FAILING_RANK, "pass FOLDER");
  EXPECT_EQ(good.exit_code, 0);
  EXPECT_EQ(good.output, "");
  const auto thrown = run("", RINGPOSE_FAILING_RANK, "one_throws FOLDER");
  EXPECT_EQ(thrown.exit_code, 1);
  EXPECT_EQ(thrown.output, "[rank 0] made to fail\n");
  const auto unwound = run("", RINGPOSE_FAILING_RANK, "unwind_all FOLDER");
  EXPECT_EQ(unwound.exit_code, 4);
  EXPECT_EQ(unwound.output, "unwound: made to fail\n");
}

/// A bare container: no PATH to find ssh in, and no launcher.
TEST(SingleProcess, StartsInABareEnvironment) {
  const auto outcome = run("env -i", RINGPOSE_FAILING_RANK, "pass FOLDER");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_EQ(outcome.output, "");
}

Outcome run_shared(const std::string& test, const std::string& registered_ranks) {
  return run(launcher(2, "RINGPOSE_TEST_RANKS=" + registered_ranks), RINGPOSE_SHARED_FAILURE,
             "--gtest_filter=SharedFailure." + test);
}

TEST(MpiMain, PassesWhenAllRanksPass) {
  const auto outcome = run_shared("None", "2");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
}

TEST(MpiMain, OneFailingRankFailsTheTest) {
  for (const std::string test : {"Expect", "AssertBeforeACollective", "ExceptionBeforeACollective"}) {
    const auto outcome = run_shared(test, "2");
    EXPECT_EQ(outcome.exit_code, 1) << test << outcome.output;
    EXPECT_NE(outcome.output.find("on purpose"), std::string::npos) << test << outcome.output;
    expect_ended(outcome);
  }
}

TEST(MpiMain, WrongRankCountFails) {
  const auto outcome = run_shared("None", "3");
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_NE(outcome.output.find("registered for 3 ranks but runs on 2"), std::string::npos) << outcome.output;
  expect_ended(outcome);
}

}  // namespace
