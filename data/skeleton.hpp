// Bodyparts of a project and the links drawn between them.
#pragma once
#include <array>
#include <string>
#include <vector>

namespace ringpose::data {

/// Bodyparts in channel order, and links as pairs of indices into them (DeepLabCut's `bodyparts` and `skeleton`).
struct Skeleton {
  std::vector<std::string> bodyparts;
  std::vector<std::array<int, 2>> links;

  [[nodiscard]] int size() const { return static_cast<int>(bodyparts.size()); }
  bool operator==(const Skeleton&) const = default;
};

}  // namespace ringpose::data
