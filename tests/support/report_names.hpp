// Compares the reports of --json FILE with launch/JSON_REPORTS.md, so that neither changes alone.
#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ringpose::tests {

/// What the page says of one name.
struct DocumentedName {
  std::string type;  ///< "string", "integer", "number", "boolean", "object" or "list"; may end with " or null"
  bool optional = false;
  std::string parent;  ///< path of the object or list that holds it, "" for the report
};

/// By path, such as videos[].frames or train.bodyparts.<bodypart>.rmse_px. Objects and lists are there even where the
/// page names their contents only.
using DocumentedNames = std::map<std::string, DocumentedName>;

/// The section "## ringpose <command>" of a page. Throws std::runtime_error naming the row that is not of the form
/// | `name` | type | meaning |, or comes twice; also when the section or its rows are missing.
[[nodiscard]] DocumentedNames documented_names(const std::string& page, const std::string& command);

/// Paths, without repetition; a name below one that is listed is left out, but for `unseen`.
struct ReportFaults {
  std::vector<std::string> undocumented;  ///< in the report only
  std::vector<std::string> absent;        ///< on the page only, where some object of the report should hold it
  std::vector<std::string> other_type;    ///< path and found type
  std::vector<std::string> unseen;        ///< no fault by itself: optional, or in an empty list
};
[[nodiscard]] ReportFaults compare_report(const nlohmann::json& report, const DocumentedNames& documented);

/// The page of the source tree.
[[nodiscard]] std::string json_reports_page();

/// Fails the running test where a command's report and the page part. Returns what was unseen.
std::vector<std::string> expect_documented(const std::string& command, const nlohmann::json& report);

}  // namespace ringpose::tests
