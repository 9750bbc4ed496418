#include "data/synthetic_labels.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "data/error.hpp"
#include "data/random.hpp"

namespace ringpose::data {
namespace {

using PhaseCounts = std::array<int, kFacePhases.size()>;
constexpr std::array<double, kFacePhases.size()> kShares{0.35, 0.40, 0.25};  // still, running, blink
constexpr std::uint64_t kLabelStream = 201;

/// How many frames to take of each phase: the shares, cut to what there is, the rest handed out one by one.
PhaseCounts allot(const PhaseCounts& available, int count) {
  PhaseCounts taken{};
  int left = count;
  for (std::size_t i = 0; i < taken.size(); ++i) {
    taken[i] = std::min({available[i], static_cast<int>(kShares[i] * count), left});
    left -= taken[i];
  }
  for (std::size_t i = 0; left > 0; i = (i + 1) % taken.size())
    if (taken[i] < available[i]) {
      ++taken[i];
      --left;
    }
  return taken;
}

double rounded_px(double value) {
  return std::round(value * 1000) / 1000;
}

}  // namespace

std::vector<int> choose_labelled_frames(const std::vector<FaceTruth>& truth, int count, std::uint64_t seed) {
  const auto frames = static_cast<int>(truth.size());
  if (count < 1 || count > frames)
    throw ConfigError("cannot label " + std::to_string(count) + " frames of a synthetic video of " +
                      std::to_string(frames) + " frames: choose from 1 to " + std::to_string(frames) + ".");
  std::array<std::vector<int>, kFacePhases.size()> of_phase;
  for (int frame = 0; frame < frames; ++frame) of_phase[static_cast<std::size_t>(truth[frame].phase)].push_back(frame);
  PhaseCounts available{};
  for (std::size_t i = 0; i < available.size(); ++i) available[i] = static_cast<int>(of_phase[i].size());
  const PhaseCounts wanted = allot(available, count);
  std::vector<int> chosen;
  Random random{seed, kLabelStream};
  // One frame from each of `wanted` equal pieces of the phase's frames: spread, yet not regular.
  for (std::size_t i = 0; i < wanted.size(); ++i)
    for (std::int64_t piece = 0; piece < wanted[i]; ++piece) {
      const std::int64_t first = piece * available[i] / wanted[i];
      const std::int64_t end = (piece + 1) * available[i] / wanted[i];
      chosen.push_back(of_phase[i][first + random.below(end - first)]);
    }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

std::string extracted_image_name(int frame, int frames) {
  const auto digits = static_cast<std::size_t>(std::ceil(std::log10(frames)));
  std::string number = std::to_string(frame);
  if (number.size() < digits) number.insert(0, digits - number.size(), '0');
  return "img" + number + ".png";
}

LabelTable face_label_table(const std::vector<FaceTruth>& truth, const std::vector<int>& chosen,
                            const std::string& video_stem, const std::string& scorer) {
  LabelTable table;
  table.scorer = scorer;
  table.bodyparts = face_skeleton().bodyparts;
  for (const int frame : chosen) {
    LabelRow row;
    row.folder = video_stem;
    row.image_name = extracted_image_name(frame, static_cast<int>(truth.size()));
    for (int part = 0; part < kFaceParts; ++part) {
      const Keypoint& position = truth[frame].positions[part];
      row.keypoints.push_back(
          truth[frame].visible[part] ? Keypoint{rounded_px(position.x_px), rounded_px(position.y_px)} : Keypoint{});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace ringpose::data
