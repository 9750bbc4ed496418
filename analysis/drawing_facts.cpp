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

DrawingFacts drawing_from(const nlohmann::json& json) {
  DrawingFacts facts;
  json.at("skeleton").get_to(facts.links);
  json.at("pcutoff").get_to(facts.pcutoff);
  json.at("dotsize").get_to(facts.dotsize);
  json.at("alphavalue").get_to(facts.alphavalue);
  json.at("colormap").get_to(facts.colormap);
  json.at("skeleton_color").get_to(facts.skeleton_color);
  return facts;
}

AnalysisFacts analysis_from(const nlohmann::json& json) {
  AnalysisFacts facts;
  json.at("version").get_to(facts.version);
  json.at("video").get_to(facts.video);
  json.at("video_bytes").get_to(facts.video_bytes);
  json.at("frames").get_to(facts.frames);
  json.at("fps").get_to(facts.fps);
  json.at("width_px").get_to(facts.width_px);
  json.at("height_px").get_to(facts.height_px);
  json.at("checkpoint").get_to(facts.checkpoint);
  json.at("checkpoint_sha256").get_to(facts.checkpoint_sha256);
  json.at("scorer").get_to(facts.scorer);
  json.at("net_type").get_to(facts.net_type);
  json.at("epochs").get_to(facts.epochs);
  json.at("dataset_digest").get_to(facts.dataset_digest);
  json.at("batch").get_to(facts.batch);
  json.at("device").get_to(facts.device);
  json.at("precision").get_to(facts.precision);
  json.at("bodyparts").get_to(facts.bodyparts);
  return facts;
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
                                          {"video_bytes", analysis.video_bytes},
                                          {"frames", analysis.frames},
                                          {"fps", analysis.fps},
                                          {"width_px", analysis.width_px},
                                          {"height_px", analysis.height_px},
                                          {"checkpoint", analysis.checkpoint},
                                          {"checkpoint_sha256", analysis.checkpoint_sha256},
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

std::optional<Sidecar> read_sidecar(const std::filesystem::path& path) {
  std::ifstream stream(path);
  if (!stream) return std::nullopt;
  try {
    const auto json = nlohmann::json::parse(stream);
    return Sidecar{analysis_from(json), drawing_from(json.at("drawing"))};
  } catch (const nlohmann::json::exception& error) {
    throw data::FormatError(
        fmt::format("cannot read {}: {}. Analyze the video again, or delete the file.", path.string(), error.what()));
  }
}

std::filesystem::path sidecar_path(const std::filesystem::path& predictions) {
  return predictions.parent_path() / (predictions.stem().string() + "_ringpose.json");
}

}  // namespace ringpose::analysis
