#include "tests/support/report_names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <stdexcept>

namespace ringpose::tests {
namespace {

using nlohmann::json;

const std::string kOrNull = " or null", kOptional = ", optional", kElement = "[]";

bool take_ending(std::string& text, const std::string& ending) {
  if (!text.ends_with(ending)) return false;
  text.resize(text.size() - ending.size());
  return true;
}

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// Between the bars of a table row.
std::vector<std::string> cells_of(const std::string& row) {
  std::vector<std::string> cells;
  std::istringstream stream(row.substr(1));
  for (std::string cell; std::getline(stream, cell, '|');) cells.push_back(trimmed(cell));
  return cells;
}

std::vector<std::string> quoted_names(const std::string& cell) {
  std::vector<std::string> names;
  std::istringstream stream(cell);
  for (std::string other, name; std::getline(stream, other, '`') && std::getline(stream, name, '`');)
    names.push_back(name);
  return names;
}

std::string parent_of(std::string path) {
  if (take_ending(path, kElement)) return path;
  const auto dot = path.rfind('.');
  return dot == std::string::npos ? "" : path.substr(0, dot);
}

std::string member_of(const std::string& parent, const std::string& name) {
  return parent.empty() ? name : parent + "." + name;
}

bool has_type(const json& value, std::string type) {
  const bool or_null = take_ending(type, kOrNull);
  static const std::map<std::string, bool (*)(const json&)> kTypes{
      {"string", [](const json& v) { return v.is_string(); }},
      {"integer", [](const json& v) { return v.is_number_integer(); }},
      {"number", [](const json& v) { return v.is_number(); }},
      {"boolean", [](const json& v) { return v.is_boolean(); }},
      {"object", [](const json& v) { return v.is_object(); }},
      {"list", [](const json& v) { return v.is_array(); }}};
  const auto known = kTypes.find(type);
  if (known == kTypes.end()) throw std::runtime_error("unknown type '" + type + "'");
  return known->second(value) || (or_null && value.is_null());
}

void add_row(DocumentedNames& names, const std::string& row) {
  const auto cells = cells_of(row);
  if (cells.size() != 3 || quoted_names(cells[0]).empty() || cells[2].empty())
    throw std::runtime_error("expected | `name` | type | meaning |, found " + row);
  std::string type = cells[1];
  const bool optional = take_ending(type, kOptional);
  try {
    (void)has_type(json(), type);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(error.what() + (" in " + row));
  }
  for (const std::string& path : quoted_names(cells[0]))
    if (!names.emplace(path, DocumentedName{type, optional, parent_of(path)}).second)
      throw std::runtime_error(path + " comes twice: " + row);
}

/// Objects and lists that the page has no row for.
void add_parents(DocumentedNames& names) {
  for (const auto& [path, name] : DocumentedNames(names)) {
    std::string type = path.ends_with(kElement) ? "list" : "object";
    for (std::string at = name.parent; !at.empty(); at = parent_of(at)) {
      names.emplace(at, DocumentedName{type, false, parent_of(at)});
      type = at.ends_with(kElement) ? "list" : "object";
    }
  }
}

class Comparison {
 public:
  explicit Comparison(const DocumentedNames& documented) : documented_(documented) {}

  void visit(const json& value, const std::string& path) {
    if (value.is_object()) visit_members(value, path);
    if (value.is_array() && !value.empty() && !documented_.contains(path + kElement))
      undocumented_.insert(path + kElement);
    else if (value.is_array())
      for (const json& element : value) visit_named(element, path + kElement);
  }

  [[nodiscard]] ReportFaults faults() const {
    ReportFaults faults{list(undocumented_), list(absent_), list(other_type_), {}};
    for (const auto& [path, name] : documented_)
      if (!seen_.contains(path)) faults.unseen.push_back(path);
    return faults;
  }

 private:
  static std::vector<std::string> list(const std::set<std::string>& paths) { return {paths.begin(), paths.end()}; }

  void visit_named(const json& value, const std::string& path) {
    seen_.insert(path);
    if (has_type(value, documented_.at(path).type))
      visit(value, path);
    else
      other_type_.insert(path + ": " + value.type_name());
  }

  void visit_members(const json& object, const std::string& path) {
    std::set<std::string> found;
    for (const auto& [key, member] : object.items()) {
      const std::string name = documented_path(path, key);
      if (found.insert(name).second && !documented_.contains(name)) undocumented_.insert(name);
      if (documented_.contains(name)) visit_named(member, name);
    }
    for (const auto& [name, of_name] : documented_)
      if (of_name.parent == path && !of_name.optional && !found.contains(name)) absent_.insert(name);
  }

  /// The path of a member, with the page's placeholder for its name where there is one.
  [[nodiscard]] std::string documented_path(const std::string& object, const std::string& key) const {
    const std::string plain = member_of(object, key), start = member_of(object, "<");
    if (documented_.contains(plain)) return plain;
    for (const auto& [path, name] : documented_)
      if (name.parent == object && path.starts_with(start)) return path;
    return plain;
  }

  const DocumentedNames& documented_;
  std::set<std::string> seen_, undocumented_, absent_, other_type_;
};

}  // namespace

DocumentedNames documented_names(const std::string& page, const std::string& command) {
  DocumentedNames names;
  std::istringstream lines(page);
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("## ")) inside = line == "## ringpose " + command;
    if (inside && line.starts_with("| ") && line != "| name | type | meaning |" && line != "| --- | --- | --- |")
      add_row(names, line);
  }
  if (names.empty()) throw std::runtime_error("no table of 'ringpose " + command + "' on the page");
  add_parents(names);
  return names;
}

ReportFaults compare_report(const json& report, const DocumentedNames& documented) {
  Comparison comparison(documented);
  comparison.visit(report, "");
  return comparison.faults();
}

std::string json_reports_page() {
  std::ifstream file(std::filesystem::path(RINGPOSE_SOURCE_DIR) / "launch" / "JSON_REPORTS.md", std::ios::binary);
  if (!file) throw std::runtime_error("cannot read launch/JSON_REPORTS.md");
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> expect_documented(const std::string& command, const json& report) {
  const ReportFaults faults = compare_report(report, documented_names(json_reports_page(), command));
  EXPECT_THAT(faults.undocumented, testing::IsEmpty()) << "in the report of " << command << ", not in JSON_REPORTS.md";
  EXPECT_THAT(faults.absent, testing::IsEmpty()) << "in JSON_REPORTS.md, not in the report of " << command;
  EXPECT_THAT(faults.other_type, testing::IsEmpty()) << "not of the type in JSON_REPORTS.md: " << command;
  return faults.unseen;
}

}  // namespace ringpose::tests
