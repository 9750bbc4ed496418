#include <cmath>
#include <nlohmann/json.hpp>

#include "data/atomic_file.hpp"
#include "launch/commands/command.hpp"

namespace ringpose::launch {

nlohmann::json json_number(double value) {
  return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(nullptr);
}

void write_json_report(const std::string& file, const nlohmann::json& report) {
  if (!file.empty()) data::write_file_atomically(file, report.dump(2) + "\n");
}

}  // namespace ringpose::launch
