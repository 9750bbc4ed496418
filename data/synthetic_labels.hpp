// Which frames of a synthetic video a labeller would have picked, and their label table.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "data/label_table.hpp"
#include "data/synthetic_motion.hpp"

namespace ringpose::data {

/// `count` different frames, ascending: 35 % still, 40 % running, 25 % blink, each phase's spread over the whole video;
/// where a phase has too few frames the others give more. Throws ConfigError unless 1 <= count <= truth.size().
[[nodiscard]] std::vector<int> choose_labelled_frames(const std::vector<FaceTruth>& truth, int count,
                                                      std::uint64_t seed);

/// DeepLabCut's name of an extracted frame: img<frame>.png, padded with zeros to ceil(log10(frames)) digits.
[[nodiscard]] std::string extracted_image_name(int frame, int frames);

/// Labels of the chosen frames, rounded to 0.001 px; a bodypart that is not visible is not labelled.
[[nodiscard]] LabelTable face_label_table(const std::vector<FaceTruth>& truth, const std::vector<int>& chosen,
                                          const std::string& video_stem, const std::string& scorer);

}  // namespace ringpose::data
