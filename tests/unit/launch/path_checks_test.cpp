#include "launch/path_checks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "data/error.hpp"
#include "launch/json_report.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ringpose::launch {
namespace {

namespace fs = std::filesystem;

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

class PathChecks : public testing::Test {
 protected:
  [[nodiscard]] fs::path file(const char* name) const {
    std::ofstream(folder_ / name) << "kept";
    return folder_ / name;
  }
  tests::TemporaryFolder folder_;
};

TEST_F(PathChecks, FilesFoldersMissingOnesAndOptionsNotGivenPass) {
  EXPECT_NO_THROW(require_distinct_paths(
      {{{"DATA", file("a")}, {"--model", folder_.path()}, {"--config", folder_ / "none"}, {"--weights", ""}},
       {{"-o", folder_ / "new"}, {"--json", ""}, {"--csv", ""}},
       {{"--output", folder_ / "run"}}}));
  EXPECT_NO_THROW(
      require_distinct_paths({{}, {{"--json", folder_ / "run" / "report.json"}}, {{"--output", folder_ / "run"}}}));
  EXPECT_NO_THROW(require_distinct_paths({{}, {{"--json", folder_ / "runs.txt"}}, {{"--output", folder_ / "run"}}}));
}

TEST_F(PathChecks, APipeAsInputIsRefusedInsteadOfWaitedFor) {
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  fs::create_symlink(folder_ / "pipe", folder_ / "link");
  for (const char* name : {"pipe", "link"})
    EXPECT_THAT(
        [&] {
          require_distinct_paths({{{"DATA", folder_ / name}}, {}, {}});
        },
        ThrowsMessage<data::IoError>(AllOf(HasSubstr("DATA"), HasSubstr(name), HasSubstr("pipe"))));
}

TEST_F(PathChecks, AnOutputIsNoInputAndNoSecondOutput) {
  const fs::path data = file("data.h5");
  fs::create_symlink(data, folder_ / "link.h5");
  for (const fs::path& same :
       {data, folder_ / "link.h5", folder_ / "." / "data.h5", folder_ / "x" / ".." / "data.h5"}) {
    EXPECT_THAT(
        [&] {
          require_distinct_paths({{{"DATA", data}}, {{"--json", same}}, {}});
        },
        ThrowsMessage<data::ConfigError>(AllOf(HasSubstr("--json"), HasSubstr("also DATA"))));
    EXPECT_THAT(
        [&] {
          require_distinct_paths({{}, {{"-o", data}, {"--json", same}}, {}});
        },
        ThrowsMessage<data::ConfigError>(HasSubstr("written twice")));
  }
}

TEST_F(PathChecks, AReportIsNeitherTheOutputFolderNorOneOfItsFiles) {
  const fs::path run = folder_ / "run";
  for (const fs::path& same : {run, folder_ / "run" / ""})
    EXPECT_THAT(
        [&] {
          require_distinct_paths({{}, {{"--json", same}}, {{"--output", run}}});
        },
        ThrowsMessage<data::ConfigError>(HasSubstr("file and folder at once")));
  EXPECT_THAT(
      [&] {
        require_distinct_paths({{}, {{"--json", run / "run.yaml"}}, {{"--output", run / ""}}});
      },
      ThrowsMessage<data::ConfigError>(HasSubstr("end in .json")));
}

TEST_F(PathChecks, AReportBelowAFileCannotBeWritten) {
  EXPECT_THAT([&] { require_writable_report(file("a") / "b" / "report.json"); },
              ThrowsMessage<data::IoError>(AllOf(HasSubstr("report"), HasSubstr("Not a directory"))));
  EXPECT_NO_THROW(require_writable_report(folder_ / "new" / "deeper" / "report.json"));
  EXPECT_FALSE(fs::exists(folder_ / "new")) << "made before the work";
}

}  // namespace
}  // namespace ringpose::launch
