#include "analysis/drawing_facts.hpp"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "data/atomic_file.hpp"
#include "data/error.hpp"

namespace ringpose::analysis {
namespace {

constexpr int kSidecarFormat = 1;

nlohmann::ordered_json drawing_json(const DrawingFacts& drawing) {
  return {{"skeleton", drawing.links},    {"pcutoff", drawing.pcutoff},
          {"dotsize", drawing.dotsize},   {"alphavalue", drawing.alphavalue},
          {"colormap", drawing.colormap}, {"skeleton_color", drawing.skeleton_color}};
}

}  // namespace

DrawingFacts drawing_facts(const data::ProjectFacts& project) {
  DrawingFacts drawing;
  const auto& names = project.skeleton.bodyparts;
  for (const auto& [first, second] : project.skeleton.links)
    drawing.links.push_back({names.at(first), names.at(second)});
  drawing.pcutoff = project.pcutoff;
  drawing.dotsize = project.dotsize;
  drawing.alphavalue = project.alphavalue;
  drawing.colormap = project.colormap;
  drawing.skeleton_color = project.skeleton_color;
  return drawing;
}

void write_sidecar(const std::filesystem::path& path, const AnalysisFacts& analysis, const DrawingFacts& drawing) {
  const nlohmann::ordered_json sidecar = {{"ringpose_sidecar", kSidecarFormat},
                                          {"version", analysis.version},
                                          {"video", analysis.video},
                                          {"frames", analysis.frames},
                                          {"fps", analysis.fps},
                                          {"width_px", analysis.width_px},
                                          {"height_px", analysis.height_px},
                                          {"checkpoint", analysis.checkpoint},
                                          {"scorer", analysis.scorer},
                                          {"net_type", analysis.net_type},
                                          {"epochs", analysis.epochs},
                                          {"dataset_digest", analysis.dataset_digest},
                                          {"batch", analysis.batch},
                                          {"device", analysis.device},
                                          {"precision", analysis.precision},
                                          {"bodyparts", analysis.bodyparts},
                                          {"drawing", drawing_json(drawing)}};
  data::write_file_atomically(path, sidecar.dump(2) + "\n");
}

std::optional<DrawingFacts> read_sidecar(const std::filesystem::path& path) {
  std::ifstream stream(path);
  if (!stream) return std::nullopt;
  try {
    const auto drawing = nlohmann::json::parse(stream).at("drawing");
    DrawingFacts facts;
    drawing.at("skeleton").get_to(facts.links);
    drawing.at("pcutoff").get_to(facts.pcutoff);
    drawing.at("dotsize").get_to(facts.dotsize);
    drawing.at("alphavalue").get_to(facts.alphavalue);
    drawing.at("colormap").get_to(facts.colormap);
    drawing.at("skeleton_color").get_to(facts.skeleton_color);
    return facts;
  } catch (const nlohmann::json::exception& error) {
    throw data::FormatError(
        fmt::format("cannot read {}: {}. Analyze the video again, or delete the file.", path.string(), error.what()));
  }
}

std::filesystem::path sidecar_path(const std::filesystem::path& predictions) {
  return predictions.parent_path() / (predictions.stem().string() + "_ringpose.json");
}

}  // namespace ringpose::analysis
