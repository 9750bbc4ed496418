// Facts of a DeepLabCut project that follow its data.
#pragma once
#include <string>

#include "data/skeleton.hpp"

namespace ringpose::data {

/// Facts of the project that follow the data into checkpoints, scorer names and drawings. Names as in config.yaml.
struct ProjectFacts {
  std::string task;
  std::string scorer;
  std::string date;  ///< as in config.yaml, for example Oct30
  Skeleton skeleton;
  double pcutoff = 0.6;
  int dotsize = 12;
  double alphavalue = 0.7;
  std::string colormap = "rainbow";
  std::string skeleton_color = "black";
  double train_fraction = 0.95;
  int shuffle = 1;
  int iteration = 0;

  bool operator==(const ProjectFacts&) const = default;
};

/// All but the skeleton as JSON text, for packed files and checkpoints.
[[nodiscard]] std::string project_facts_to_json(const ProjectFacts& facts);
/// Reads what project_facts_to_json() wrote; unknown names are ignored. Throws FormatError.
[[nodiscard]] ProjectFacts project_facts_from_json(const std::string& text);

}  // namespace ringpose::data
