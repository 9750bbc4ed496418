// A DeepLabCut project folder: config.yaml and the hand-made labels.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "data/label_table.hpp"
#include "data/project_facts.hpp"

namespace ringpose::data {

/// What config.yaml says. Keys that only matter to other steps of DeepLabCut are not read; `project_path` is not
/// believed, since projects move: the folder is the one that holds config.yaml.
struct DlcProject {
  std::filesystem::path folder;
  std::filesystem::path config_file;
  std::string config_text;
  ProjectFacts facts;                    ///< train_fraction is the first of TrainingFraction; shuffle is 1
  std::vector<double> train_fractions;   ///< all of TrainingFraction
  std::vector<std::string> video_names;  ///< of video_sets, without folder and extension
};

/// Labels of all videos of a project.
struct ProjectLabels {
  LabelTable table;                          ///< rows in DeepLabCut's order, bodyparts in that of config.yaml
  std::vector<std::filesystem::path> files;  ///< label files read, in the order of their folders
  std::vector<std::string> notes;            ///< what the user should know, a sentence each
};

/// `project`: the folder or its config.yaml. Throws IoError (unreadable) or ProjectError (bad YAML, missing or wrong
/// key, multi-animal, bodypart twice, skeleton with an unknown bodypart).
[[nodiscard]] DlcProject read_dlc_project(const std::filesystem::path& project);

/// Reads labeled-data/*/CollectedData_<scorer>.csv of every folder. The order is that of DeepLabCut's merged table
/// (trainingsetmanipulation.py, merge_annotateddatasets): sorted by folder, then image name, as texts. Throws
/// ProjectError (labels of another scorer, other bodyparts than config.yaml, an image labelled twice, no labels at all)
/// or IoError.
[[nodiscard]] ProjectLabels read_project_labels(const DlcProject& project);

}  // namespace ringpose::data
