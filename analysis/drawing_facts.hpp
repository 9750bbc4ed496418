// What `label` and `plot` need to know about a project, kept beside the predictions so that no model is needed.
#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "data/project_facts.hpp"

namespace ringpose::analysis {

/// Drawing settings by name, as in DeepLabCut's config.yaml.
struct DrawingFacts {
  std::vector<std::array<std::string, 2>> links;  ///< skeleton, by bodypart names
  double pcutoff = 0.6;
  int dotsize = 12;  ///< radius of a dot in px
  double alphavalue = 0.7;
  std::string colormap = "rainbow";
  std::string skeleton_color = "black";
  bool operator==(const DrawingFacts&) const = default;
};

[[nodiscard]] DrawingFacts drawing_facts(const data::ProjectFacts& project);

/// How the predictions came to be: the rest of `<stem><scorer>_ringpose.json`.
struct AnalysisFacts {
  std::string video;             ///< file name
  std::int64_t video_bytes = 0;  ///< size of the file
  std::string checkpoint;        ///< file name
  std::string checkpoint_sha256;
  std::string scorer;
  std::string net_type;
  std::int64_t epochs = 0;
  std::string dataset_digest;
  std::int64_t frames = 0;
  double fps = 0;
  int width_px = 0;
  int height_px = 0;
  int batch = 0;
  std::string device;
  std::string precision;
  std::string version;
  std::vector<std::string> bodyparts;
};

/// Writes the sidecar atomically. Throws data::IoError.
void write_sidecar(const std::filesystem::path& path, const AnalysisFacts& analysis, const DrawingFacts& drawing);
struct Sidecar {
  AnalysisFacts analysis;
  DrawingFacts drawing;
};

/// Nothing when the file is missing. Throws data::FormatError when it is not ours.
[[nodiscard]] std::optional<Sidecar> read_sidecar(const std::filesystem::path& path);
/// `<predictions without extension>_ringpose.json`.
[[nodiscard]] std::filesystem::path sidecar_path(const std::filesystem::path& predictions);

}  // namespace ringpose::analysis
