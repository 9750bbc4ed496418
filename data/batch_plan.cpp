#include "data/batch_plan.hpp"

#include <limits>

#include "data/random.hpp"

namespace ringpose::data {
namespace {

/// The random choices of one row, keyed by its position in the epoch and so the same on every rank.
AugmentationDraw draw_row(const LoaderOptions& options, std::int64_t epoch, std::int64_t position, ImageSize size,
                          std::span<const Keypoint> keypoints) {
  Random random({options.seed, static_cast<std::uint64_t>(epoch), static_cast<std::uint64_t>(position)});
  return draw_augmentation(options.augmentation, size, keypoints, random);
}

void append(std::vector<float>& xy, const std::vector<Keypoint>& keypoints) {
  for (const Keypoint& keypoint : keypoints) {
    xy.push_back(static_cast<float>(keypoint.x_px));
    xy.push_back(static_cast<float>(keypoint.y_px));
  }
}

/// Cuts the rank's rows out of the global keypoints and sizes its arrays, padding rows included.
void shape_local_part(Batch& batch) {
  const auto row_floats = static_cast<std::int64_t>(batch.keypoints_BK2.size()) / batch.global_rows;
  const auto first = batch.keypoints_BK2.begin() + batch.first_row * row_floats;
  batch.keypoints_NK2.assign(first, first + batch.real_rows * row_floats);
  batch.keypoints_NK2.resize(static_cast<std::size_t>(batch.local_rows * row_floats),
                             std::numeric_limits<float>::quiet_NaN());
  batch.weight_N.assign(static_cast<std::size_t>(batch.real_rows), 1.0F);
  batch.weight_N.resize(static_cast<std::size_t>(batch.local_rows), 0.0F);
  batch.images_NHWC.resize(static_cast<std::size_t>(batch.local_rows * batch.height_px * batch.width_px * 3));
}

}  // namespace

BatchPlan plan_batch(const SampleSource& source, const Sampler& sampler, const LoaderOptions& options, BatchPlace place,
                     std::span<const std::int64_t> order) {
  const auto rows = sampler.batch_of(order, place.step);
  const auto global_rows = static_cast<std::int64_t>(rows.size());
  const Slice slice = slice_of_batch(global_rows, options.rank, options.world_size);
  BatchPlan plan;
  Batch& batch = plan.batch;
  batch.epoch = place.epoch;
  batch.step = place.step;
  batch.global_rows = global_rows;
  batch.first_row = slice.first;
  batch.real_rows = slice.count;
  batch.local_rows = slice.padded;
  for (std::int64_t i = 0; i < global_rows; ++i) {
    const std::int64_t row = rows[static_cast<std::size_t>(i)];
    const std::int64_t position = place.step * sampler.global_batch() + i;
    const ImageSize size{source.height_px(row), source.width_px(row)};
    const std::vector<Keypoint> keypoints = source.keypoints(row);
    const AugmentationDraw draw = draw_row(options, place.epoch, position, size, keypoints);
    append(batch.keypoints_BK2, augment(keypoints, draw));
    batch.height_px = draw.output.height_px;
    batch.width_px = draw.output.width_px;
    if (i < slice.first || i >= slice.first + slice.count) continue;
    plan.source_rows.push_back(row);
    plan.draws.push_back(draw);
  }
  shape_local_part(batch);
  return plan;
}

}  // namespace ringpose::data
