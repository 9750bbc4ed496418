#include "tests/support/report_names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>

namespace ringpose::tests {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kPage = R"(# Reports
| `outside` | string | of no command |
## ringpose shoot
| name | type | meaning |
| --- | --- | --- |
| `command` | string | `shoot` |
| `frames` | integer | frames |
| `error_px` | number or null | error, px |
| `videos[].name` | string | name |
| `videos[].csv` | string, optional | name |
| `rows[]` | integer | row |
| `links[][]` | string | end |
| `train`, `test` | object, optional | errors |
| `train.parts.<bodypart>.max_px`, `test.parts.<bodypart>.max_px` | number | largest, px |
## ringpose develop
| name | type | meaning |
| --- | --- | --- |
| `other` | string | of another command |
)";

/// As documented, optional names included.
json whole_report() {
  return json::parse(R"({"command": "shoot", "frames": 2, "error_px": 0.5, "videos": [{"name": "a", "csv": "b"}],
    "rows": [3, 1], "links": [["nose", "tail"]], "train": {"parts": {"nose": {"max_px": 1}, "a.b": {"max_px": 2.5}}},
    "test": {"parts": {"nose": {"max_px": 3}}}})");
}

ReportFaults faults_of(const json& report) {
  return compare_report(report, documented_names(kPage, "shoot"));
}

std::string page_error(const std::string& row) {
  try {
    (void)documented_names("## ringpose shoot\n" + row + "\n", "shoot");
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "no error";
}

TEST(ReportNames, NothingIsWrongWithADocumentedReport) {
  const ReportFaults faults = faults_of(whole_report());
  EXPECT_THAT(faults.undocumented, IsEmpty());
  EXPECT_THAT(faults.absent, IsEmpty());
  EXPECT_THAT(faults.other_type, IsEmpty());
  EXPECT_THAT(faults.unseen, IsEmpty());
}

TEST(ReportNames, FindsWhatIsNotDocumented) {
  json report = whole_report();
  report["other"] = "";
  report["outside"] = {{"inner", 1}};
  report["videos"].push_back({{"name", "b"}, {"frames", 1}});
  report["train"]["parts"]["a.b"]["min_px"] = 0;
  report["train"]["parts"]["nose"]["min_px"] = 0;
  EXPECT_THAT(faults_of(report).undocumented,
              ElementsAre("other", "outside", "train.parts.<bodypart>.min_px", "videos[].frames"));
  EXPECT_THAT(faults_of(report).absent, IsEmpty());
}

TEST(ReportNames, FindsWhatIsAbsentFromAnyObject) {
  json report = whole_report();
  report.erase("frames");
  report.erase("links");
  report["videos"].push_back(json::object());
  report["train"]["parts"]["nose"].erase("max_px");
  report["test"]["parts"] = json::object();
  EXPECT_THAT(faults_of(report).absent, ElementsAre("frames", "links", "test.parts.<bodypart>",
                                                    "train.parts.<bodypart>.max_px", "videos[].name"));
  EXPECT_THAT(faults_of(report).undocumented, IsEmpty());
}

TEST(ReportNames, ARenamedNameIsBoth) {
  json report = whole_report();
  report.erase("frames");
  report["images"] = 2;
  EXPECT_THAT(faults_of(report).absent, ElementsAre("frames"));
  EXPECT_THAT(faults_of(report).undocumented, ElementsAre("images"));
}

TEST(ReportNames, OptionalNamesAndEmptyListsAreUnseen) {
  json report = whole_report();
  report.erase("test");
  report["rows"] = json::array();
  report["links"] = json::array();
  report["videos"][0].erase("csv");
  const ReportFaults faults = faults_of(report);
  EXPECT_THAT(faults.undocumented, IsEmpty());
  EXPECT_THAT(faults.absent, IsEmpty());
  EXPECT_THAT(faults.unseen, ElementsAre("links[]", "links[][]", "rows[]", "test", "test.parts",
                                         "test.parts.<bodypart>", "test.parts.<bodypart>.max_px", "videos[].csv"));
}

TEST(ReportNames, FindsOtherTypes) {
  json report = whole_report();
  report["error_px"] = nullptr;
  EXPECT_THAT(faults_of(report).other_type, IsEmpty());
  report["frames"] = 2.5;
  report["command"] = nullptr;
  report["rows"] = {1, "2"};
  report["videos"] = nullptr;
  report["train"] = json::array();
  EXPECT_THAT(faults_of(report).other_type,
              ElementsAre("command: null", "frames: number", "rows[]: string", "train: array", "videos: null"));
}

TEST(ReportNames, RefusesAPageOfAnotherForm) {
  EXPECT_THAT(page_error("| `a` | string | |"), HasSubstr("expected | `name`"));
  EXPECT_THAT(page_error("| a | string | letter |"), HasSubstr("expected | `name`"));
  EXPECT_THAT(page_error("| `a` | text | letter |"), HasSubstr("unknown type 'text' in | `a`"));
  EXPECT_THAT(page_error("| `a` | text or null | letter |"), HasSubstr("unknown type 'text'"));
  EXPECT_THAT(page_error("| `a` | string | letter |\n| `b`, `a` | string | letter |"), HasSubstr("a comes twice"));
  EXPECT_THAT(page_error("## ringpose develop\n| `a` | string | letter |"), HasSubstr("no table of 'ringpose shoot'"));
}

TEST(ReportNames, ThePageTellsOfEveryCommand) {
  const auto commands = std::filesystem::path(RINGPOSE_SOURCE_DIR) / "launch" / "commands";
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(commands)) {
    if (entry.path().extension() != ".cpp") continue;
    ++count;
    const std::string command = entry.path().stem().string();
    EXPECT_TRUE(documented_names(json_reports_page(), command).contains("command")) << command;
  }
  EXPECT_GE(count, 7);
}

}  // namespace
}  // namespace ringpose::tests
