// The config.yaml text of a synthetic project; declared in synthetic_project.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>

#include "launch/synthetic_project.hpp"

namespace ringpose::launch {
namespace {

/// A path as a YAML scalar: quoted where YAML would read something else into it.
std::string yaml_text(const std::string& text) {
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '/' || c == '_' || c == '-' || c == '.';
  };
  if (std::all_of(text.begin(), text.end(), plain)) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "''" : std::string(1, c);
  return quoted + "'";
}

std::string bodypart_lines(const data::Skeleton& skeleton) {
  std::string lines;
  for (const std::string& part : skeleton.bodyparts) lines += fmt::format("- {}\n", part);
  return lines;
}

std::string link_lines(const data::Skeleton& skeleton) {
  std::string lines;
  for (const auto& [a, b] : skeleton.links)
    lines += fmt::format("- - {}\n  - {}\n", skeleton.bodyparts[a], skeleton.bodyparts[b]);
  return lines;
}

constexpr const char* kTemplate = R"(# Project definitions (do not edit)
Task: {task}
scorer: {scorer}
date: {date}
multianimalproject: false
identity:

# Project path (change when moving around)
project_path: {folder}

# DeepLabCut engine used for new shuffles (pytorch or tensorflow)
engine: pytorch

# Videos and their crops (x1, x2, y1, y2)
video_sets:
  {video}:
    crop: 0, {width}, 0, {height}
bodyparts:
{bodyparts}
# Part of the video, and number of frames, when extracting frames
start: 0
stop: 1
numframes2pick: 20

# Plotting
skeleton:
{links}skeleton_color: black
pcutoff: 0.6
dotsize: 4
alphavalue: 0.7
colormap: rainbow

# Training, evaluation and analysis
TrainingFraction:
- 0.8
iteration: 0
default_net_type: resnet_50
default_augmenter: default
snapshotindex: -1
detector_snapshotindex: -1
batch_size: 8
detector_batch_size: 1

# Cropping for analysis and outlier frames
cropping: false
x1: 0
x2: {width}
y1: 0
y2: {height}

# Refinement
corner2move2:
- 50
- 50
move2corner: true

# Conversion tables to fine-tune SuperAnimal weights
SuperAnimalConversionTables:
)";

}  // namespace

std::string synthetic_config_yaml(const SyntheticProjectOptions& options, const std::filesystem::path& folder,
                                  const std::filesystem::path& video) {
  const data::Skeleton skeleton = data::face_skeleton();
  return fmt::format(kTemplate, fmt::arg("task", options.task), fmt::arg("scorer", options.scorer),
                     fmt::arg("date", dlc_date(options.date)), fmt::arg("folder", yaml_text(folder.string())),
                     fmt::arg("video", yaml_text(video.string())), fmt::arg("width", options.video.width_px),
                     fmt::arg("height", options.video.height_px), fmt::arg("bodyparts", bodypart_lines(skeleton)),
                     fmt::arg("links", link_lines(skeleton)));
}

}  // namespace ringpose::launch
