// Typed errors of the data layer. A message names what was being done, the file, what was found, what was expected, and
// what to do.
#pragma once
#include <stdexcept>
#include <string>

namespace ringpose::data {

/// A file does not hold what its format promises (truncated, newer version, foreign, altered).
class FormatError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A DeepLabCut project is incomplete or contradicts itself (missing image, unknown bodypart, wrong scorer).
class ProjectError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// An option or configuration value is out of range or unknown.
class ConfigError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Reading or writing a file failed (missing, unreadable, disk full, read-only).
class IoError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace ringpose::data
