// Where the real data of the tests lie: not in the repository, and not on every machine.
#pragma once
#include <cstdlib>
#include <filesystem>

namespace ringpose::tests {

/// The folder of test data: RINGPOSE_TEST_DATA, or `shared` beside the source tree. It need not exist.
inline std::filesystem::path test_data_folder() {
  if (const char* folder = std::getenv("RINGPOSE_TEST_DATA")) return folder;
  return std::filesystem::path(RINGPOSE_SOURCE_DIR) / ".." / "shared";
}

/// DeepLabCut's open-field example: 116 frames of 640x480, 4 bodyparts, no missing label.
inline std::filesystem::path open_field_project() {
  return test_data_folder() / "data" / "openfield-Pranav-2018-10-30";
}
/// Files that DeepLabCut 3.0.2 wrote for that project.
inline std::filesystem::path dlc_written_folder() {
  return test_data_folder() / "data" / "dlc-written" / "3.0.2";
}

}  // namespace ringpose::tests
