// Initial weights from a safetensors file with timm's names (resnet50_gn: conv1.weight, layer1.0.bn1.weight, ...).
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "trainer/pose_model.hpp"

namespace ringpose::trainer {

/// What was loaded and what was left as it was.
struct WeightReport {
  int loaded = 0;
  std::vector<std::string> ignored;  ///< names in the file with no place in the model (for example fc.weight)
};

/// Loads backbone weights (timm names), or a whole pose model (DeepLabCut names). Throws data::FormatError when a
/// backbone tensor is missing or has another shape: never loads half.
WeightReport load_initial_weights(PoseModel& model, const std::filesystem::path& path);

}  // namespace ringpose::trainer
