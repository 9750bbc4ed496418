// The report of a command for --json FILE (JSON_REPORTS.md).
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace ringpose::launch {

/// A number for a report: null where it is not finite (JSON has no NaN).
[[nodiscard]] nlohmann::json json_number(double value);

/// Fails before the work when the report could not be written after it: `file` lies in a folder that refuses files, or
/// is a file of another kind. A missing folder is no failure when it could be made. No-op when `file` is empty. Throws
/// data::IoError.
void require_writable_report(const std::string& file);

/// Writes the report atomically, making its folder where needed; no-op when `file` is empty. Throws data::IoError.
void write_json_report(const std::string& file, const nlohmann::json& report);

}  // namespace ringpose::launch
