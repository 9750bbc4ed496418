// Packs a DeepLabCut project into one file for training.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "data/image_codec.hpp"
#include "data/project_facts.hpp"
#include "data/split.hpp"

namespace ringpose::data {

/// What to do with a label outside its image. DeepLabCut trains on 0 < x < width and 0 < y < height only and takes
/// other labels as missing, without a word.
enum class OutsideLabels {
  kRefuse,  ///< an error: most often a wrong image or a slip of the hand
  kDrop,    ///< missing, as DeepLabCut takes them; the report and the file's provenance list them
};

struct PackOptions {
  std::filesystem::path project;          ///< project folder, or its config.yaml
  std::filesystem::path output;           ///< packed file to write
  std::uint32_t seed = 42;                ///< of the split, unless rows are given
  std::optional<std::string> train_rows;  ///< parse_rows() text
  std::optional<std::string> test_rows;   ///< parse_rows() text
  int shuffle = 1;                        ///< DeepLabCut's number of the split, from 0
  CodecPolicy codec;
  OutsideLabels outside = OutsideLabels::kRefuse;
  std::string program;       ///< name and version, for provenance
  std::string command_line;  ///< for provenance
  std::function<void(std::int64_t done, std::int64_t total)>
      progress;  ///< called after each image of the checking pass; may be empty
};

/// A label dropped because it lies outside its image.
struct DroppedLabel {
  std::string image_name;
  std::string bodypart;
  double x_px = 0.0;
  double y_px = 0.0;
};

struct PartCount {
  std::string bodypart;
  std::int64_t labelled = 0;
  std::int64_t missing = 0;
};

struct VideoCount {
  std::string name;
  std::int64_t frames = 0;
};

struct SizeCount {
  int width_px = 0;
  int height_px = 0;
  std::int64_t frames = 0;
};

/// What was packed.
struct PackReport {
  ProjectFacts project;
  std::int64_t frames = 0;
  std::vector<VideoCount> videos;
  std::vector<PartCount> parts;
  std::vector<SizeCount> image_sizes;
  std::vector<DroppedLabel> dropped;
  std::vector<std::string> notes;
  Split split;
  std::string content_digest;
  std::uint64_t file_bytes = 0;
};

/// Reads every image twice: first all are decoded and checked, then written, so that nothing is written for a faulty
/// project and memory stays small. Throws ProjectError (see dlc_project.hpp; image missing, unreadable, or changed
/// meanwhile; label outside its image), ConfigError (rows, shuffle) or IoError. On error nothing is left behind and an
/// older output is kept.
PackReport pack_project(const PackOptions& options);

}  // namespace ringpose::data
