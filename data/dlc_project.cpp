#include "data/dlc_project.hpp"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>
#include <tuple>

#include "data/error.hpp"
#include "data/file_bytes.hpp"

namespace ringpose::data {
namespace {

namespace fs = std::filesystem;

/// config.yaml with typed access; every fault names the file and the key.
class Config {
 public:
  Config(fs::path file, const std::string& text) : file_(std::move(file)) {
    try {
      root_ = YAML::Load(text);
    } catch (const YAML::Exception& error) {
      throw ProjectError(file_.string() + " is not valid YAML: " + error.what() + ".");
    }
    if (!root_.IsMap()) fail("holds no keys: expected the config.yaml of a DeepLabCut project.");
  }

  [[noreturn]] void fail(const std::string& fault) const { throw ProjectError(file_.string() + " " + fault); }

  /// The value of a key; undefined or null when it is not given.
  [[nodiscard]] YAML::Node at(const std::string& key) const { return root_[key]; }
  [[nodiscard]] bool given(const std::string& key) const { return root_[key] && !root_[key].IsNull(); }

  [[nodiscard]] std::string text(const std::string& key) const {
    if (!given(key)) fail("lacks the key '" + key + "', which every DeepLabCut project has.");
    if (!at(key).IsScalar()) fail("has a list or map at the key '" + key + "', expected one value.");
    return at(key).Scalar();
  }
  [[nodiscard]] std::string text(const std::string& key, const std::string& fallback) const {
    return given(key) ? text(key) : fallback;
  }

  template <typename T>
  [[nodiscard]] T number(const std::string& key, T fallback) const {
    return given(key) ? to_number<T>(at(key), key) : fallback;
  }

  template <typename T>
  [[nodiscard]] T to_number(const YAML::Node& node, const std::string& key) const {
    try {
      return node.as<T>();
    } catch (const YAML::Exception&) {
      fail("has '" + (node.IsScalar() ? node.Scalar() : std::string("a list or map")) + "' at the key '" + key +
           "', expected a number.");
    }
  }

  [[nodiscard]] bool flag(const std::string& key) const {
    try {
      return given(key) && at(key).as<bool>();
    } catch (const YAML::Exception&) {
      fail("has '" + text(key) + "' at the key '" + key + "', expected true or false.");
    }
  }

 private:
  fs::path file_;
  YAML::Node root_;
};

std::vector<std::string> read_bodyparts(const Config& config) {
  if (config.flag("multianimalproject"))
    config.fail("describes a multi-animal project (multianimalproject: true), which ringpose does not support yet.");
  const YAML::Node node = config.at("bodyparts");
  if (!node || !node.IsSequence() || node.size() == 0)
    config.fail("lists no bodyparts: expected `bodyparts:` with at least one name.");
  std::vector<std::string> bodyparts;
  for (const YAML::Node& entry : node) {
    if (!entry.IsScalar() || entry.Scalar().empty()) config.fail("has a bodypart that is not a name.");
    if (std::find(bodyparts.begin(), bodyparts.end(), entry.Scalar()) != bodyparts.end())
      config.fail("lists the bodypart '" + entry.Scalar() + "' twice.");
    bodyparts.push_back(entry.Scalar());
  }
  return bodyparts;
}

int bodypart_number(const Config& config, const std::vector<std::string>& bodyparts, const std::string& name) {
  const auto found = std::find(bodyparts.begin(), bodyparts.end(), name);
  if (found == bodyparts.end())
    config.fail("has a skeleton link to '" + name +
                "', which is no bodypart. Correct `skeleton:`, or write `skeleton: []`.");
  return static_cast<int>(found - bodyparts.begin());
}

std::vector<std::array<int, 2>> read_links(const Config& config, const std::vector<std::string>& bodyparts) {
  std::vector<std::array<int, 2>> links;
  if (!config.given("skeleton")) return links;
  const YAML::Node node = config.at("skeleton");
  if (!node.IsSequence()) config.fail("has a skeleton that is not a list of bodypart pairs.");
  for (const YAML::Node& link : node) {
    if (!link.IsSequence() || link.size() != 2 || !link[0].IsScalar() || !link[1].IsScalar())
      config.fail("has a skeleton link that is not a pair of bodyparts, such as [nose, tail].");
    links.push_back(
        {bodypart_number(config, bodyparts, link[0].Scalar()), bodypart_number(config, bodyparts, link[1].Scalar())});
  }
  return links;
}

std::vector<double> read_train_fractions(const Config& config) {
  const YAML::Node node = config.at("TrainingFraction");
  if (!config.given("TrainingFraction")) return {ProjectFacts().train_fraction};
  std::vector<double> fractions;
  if (node.IsSequence())
    for (const YAML::Node& entry : node) fractions.push_back(config.to_number<double>(entry, "TrainingFraction"));
  else
    fractions.push_back(config.to_number<double>(node, "TrainingFraction"));
  if (fractions.empty()) return {ProjectFacts().train_fraction};
  for (const double fraction : fractions)
    if (!(fraction > 0.0 && fraction <= 1.0) || std::abs(fraction * 100.0 - std::round(fraction * 100.0)) > 1e-9)
      config.fail("has the TrainingFraction " + std::to_string(fraction) +
                  ", expected numbers above 0 and up to 1 with two decimals, such as 0.95.");
  return fractions;
}

std::string stem_of(std::string video) {
  std::replace(video.begin(), video.end(), '\\', '/');
  return fs::path(video).stem().string();
}

std::vector<std::string> read_video_names(const Config& config) {
  std::vector<std::string> names;
  if (config.given("video_sets") && config.at("video_sets").IsMap())
    for (const auto& entry : config.at("video_sets")) names.push_back(stem_of(entry.first.Scalar()));
  return names;
}

ProjectFacts read_facts(const Config& config) {
  ProjectFacts facts;
  facts.task = config.text("Task");
  facts.scorer = config.text("scorer");
  facts.date = config.text("date");
  facts.skeleton.bodyparts = read_bodyparts(config);
  facts.skeleton.links = read_links(config, facts.skeleton.bodyparts);
  facts.pcutoff = config.number("pcutoff", facts.pcutoff);
  facts.dotsize = static_cast<int>(config.number("dotsize", static_cast<double>(facts.dotsize)));
  facts.alphavalue = config.number("alphavalue", facts.alphavalue);
  facts.colormap = config.text("colormap", facts.colormap);
  facts.skeleton_color = config.text("skeleton_color", facts.skeleton_color);
  facts.iteration = config.number("iteration", facts.iteration);
  return facts;
}

/// Scorer in the name of a label file; absent for other files.
std::optional<std::string> scorer_of(const fs::path& file, const std::string& extension) {
  constexpr char kStart[] = "CollectedData_";
  if (file.extension() != extension || !file.stem().string().starts_with(kStart)) return std::nullopt;
  return file.stem().string().substr(sizeof kStart - 1);
}

/// The project's label file in one folder of labeled-data; absent when the folder has no labels of anybody.
std::optional<fs::path> label_file_in(const fs::path& folder, const std::string& scorer) {
  const fs::path wanted = folder / ("CollectedData_" + scorer + ".csv");
  if (fs::exists(wanted)) return wanted;
  if (fs::exists(fs::path(wanted).replace_extension(".h5")))
    throw ProjectError(folder.string() + " has the labels as CollectedData_" + scorer +
                       ".h5 only, expected the .csv beside it. In Python: " + "pandas.read_hdf('CollectedData_" +
                       scorer + ".h5').to_csv('CollectedData_" + scorer + ".csv')");
  for (const auto& entry : fs::directory_iterator(folder))
    for (const char* extension : {".csv", ".h5"})
      if (const auto other = scorer_of(entry.path(), extension))
        throw ProjectError(entry.path().string() + " has the labels of scorer '" + *other +
                           "', but config.yaml names scorer '" + scorer +
                           "'. Correct `scorer:` in config.yaml, or convert the labels with DeepLabCut.");
  return std::nullopt;
}

std::vector<fs::path> sorted_folders(const fs::path& labels_folder) {
  if (!fs::is_directory(labels_folder))
    throw ProjectError("the project has no folder " + labels_folder.string() + ": extract and label frames first.");
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(labels_folder))
    if (entry.is_directory()) folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  return folders;
}

/// DeepLabCut merges only the videos of video_sets, as soon as one of them has labels.
void note_unlisted_videos(const DlcProject& project, ProjectLabels& labels) {
  const std::set<std::string> listed(project.video_names.begin(), project.video_names.end());
  std::vector<std::string> unlisted;
  for (const fs::path& file : labels.files)
    if (!listed.contains(file.parent_path().filename().string()))
      unlisted.push_back(file.parent_path().filename().string());
  if (unlisted.size() == labels.files.size()) return;
  for (const std::string& video : unlisted)
    labels.notes.push_back(
        "labeled-data/" + video +
        " is used, though video_sets of config.yaml does not list that video; DeepLabCut would leave it out.");
}

}  // namespace

DlcProject read_dlc_project(const fs::path& project_or_config) {
  DlcProject project;
  project.config_file = fs::is_directory(project_or_config) ? project_or_config / "config.yaml" : project_or_config;
  project.folder = project.config_file.has_parent_path() ? project.config_file.parent_path() : fs::path(".");
  const std::string ending = project.config_file.extension().string();
  if (ending != ".yaml" && ending != ".yml")
    throw ProjectError("reading the project " + project.config_file.string() +
                       ": it is neither a folder nor a config.yaml. Give a DeepLabCut project's folder.");
  const auto bytes = read_file_bytes(project.config_file);
  project.config_text.assign(bytes.begin(), bytes.end());
  const Config config(project.config_file, project.config_text);
  project.facts = read_facts(config);
  project.train_fractions = read_train_fractions(config);
  project.facts.train_fraction = project.train_fractions.front();
  project.video_names = read_video_names(config);
  return project;
}

ProjectLabels read_project_labels(const DlcProject& project) {
  ProjectLabels labels;
  labels.table.scorer = project.facts.scorer;
  labels.table.bodyparts = project.facts.skeleton.bodyparts;
  const fs::path labels_folder = project.folder / "labeled-data";
  for (const fs::path& folder : sorted_folders(labels_folder)) {
    const auto file = label_file_in(folder, project.facts.scorer);
    if (!file) continue;
    LabelTable table = read_label_table(*file);
    if (table.scorer != project.facts.scorer)
      throw ProjectError(file->string() + " has the labels of scorer '" + table.scorer +
                         "', but config.yaml names scorer '" + project.facts.scorer +
                         "'. Correct `scorer:` in config.yaml, or convert the labels with DeepLabCut.");
    table = reorder_bodyparts(std::move(table), labels.table.bodyparts, *file);
    std::move(table.rows.begin(), table.rows.end(), std::back_inserter(labels.table.rows));
    labels.files.push_back(*file);
  }
  if (labels.table.rows.empty())
    throw ProjectError("the project has no labelled frame: no row in any " +
                       (labels_folder / "*" / ("CollectedData_" + project.facts.scorer + ".csv")).string() +
                       ". Label frames first.");
  std::stable_sort(labels.table.rows.begin(), labels.table.rows.end(), [](const LabelRow& a, const LabelRow& b) {
    return std::tie(a.folder, a.image_name) < std::tie(b.folder, b.image_name);
  });
  check_unique_rows(labels.table);
  note_unlisted_videos(project, labels);
  return labels;
}

}  // namespace ringpose::data
