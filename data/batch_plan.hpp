// All that is decided about a training batch before a pixel is read: its rows, their random choices, its shape.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "data/augmentation_draw.hpp"
#include "data/loader.hpp"
#include "data/sample.hpp"
#include "data/sample_source.hpp"
#include "data/sampler.hpp"

namespace ringpose::data {

/// Position in the endless stream of batches, 0-based.
struct BatchPlace {
  std::int64_t epoch = 0;
  std::int64_t step = 0;
};

/// A batch with everything but its pixels, which are still 0.
struct BatchPlan {
  Batch batch;
  std::vector<std::int64_t> source_rows;  ///< packed-file row of each real local row
  std::vector<AugmentationDraw> draws;    ///< random choices of each real local row
};

/// Plans the rank's share of one global batch, and the augmented keypoints of all of it. `order`: the sampler's
/// epoch_order() of that epoch. A pure function of its arguments; reads labels and sizes from the source, no image.
[[nodiscard]] BatchPlan plan_batch(const SampleSource& source, const Sampler& sampler, const LoaderOptions& options,
                                   BatchPlace place, std::span<const std::int64_t> order);

}  // namespace ringpose::data
