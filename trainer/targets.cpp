// This file is compiled with -ffp-contract=off: count_targets and make_targets must round alike at the disc's border.
#include "trainer/targets.hpp"

#include <ATen/ops/arange.h>
#include <ATen/ops/ones.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "data/error.hpp"

namespace ringpose::trainer {

namespace {

/// Half-open range of cells along one axis.
struct CellRange {
  int begin = 0;
  int end = 0;
};

double cell_position_px(int cell, int stride) {
  return static_cast<double>(cell) * stride + stride / 2;
}

/// Cells that can lie within `radius_px` of `position_px`, one more on each side than rounding could need.
CellRange cells_near(double position_px, double radius_px, int cells, int stride) {
  const double first = std::floor((position_px - radius_px - stride / 2) / stride) - 1;
  const double last = std::ceil((position_px + radius_px - stride / 2) / stride) + 1;
  // Clamped as doubles: a keypoint may lie further out than an int reaches.
  const double limit = cells;
  return {static_cast<int>(std::clamp(first, 0.0, limit)), static_cast<int>(std::clamp(last + 1, 0.0, limit))};
}

std::int64_t cells_in_disc(double x_px, double y_px, int h, int w, int stride, double radius_px) {
  const CellRange rows = cells_near(y_px, radius_px, h, stride);
  const CellRange columns = cells_near(x_px, radius_px, w, stride);
  const double limit = radius_px * radius_px;
  std::int64_t count = 0;
  for (int i = rows.begin; i < rows.end; ++i) {
    const double dy = y_px - cell_position_px(i, stride);
    for (int j = columns.begin; j < columns.end; ++j) {
      const double dx = x_px - cell_position_px(j, stride);
      const double distance = std::sqrt(dy * dy + dx * dx);
      count += distance * distance <= limit ? 1 : 0;  // DeepLabCut squares the norm: the roundings decide at the border
    }
  }
  return count;
}

/// Positions of the cells along one axis, float64.
torch::Tensor axis_px(int cells, int stride, const torch::Device& device) {
  return at::arange(cells, at::TensorOptions().dtype(torch::kFloat64).device(device)).mul_(stride).add_(stride / 2);
}

}  // namespace

void TargetOptions::validate() const {
  if (!(pos_dist_thresh_px > 0))
    throw data::ConfigError(fmt::format("pos_dist_thresh is {}, expected pixels above 0.", pos_dist_thresh_px));
  if (!(locref_std > 0))
    throw data::ConfigError(fmt::format("locref_std is {}, expected a number above 0.", locref_std));
  if (!(background_weight >= 0))
    throw data::ConfigError(fmt::format("background_weight is {}, expected 0 or more.", background_weight));
}

Targets make_targets(const torch::Tensor& keypoints_NK2, const torch::Tensor& weight_N, int h, int w, int stride,
                     const TargetOptions& options) {
  const torch::NoGradGuard no_grad;
  const torch::Device device = keypoints_NK2.device();
  const std::int64_t N = keypoints_NK2.size(0), K = keypoints_NK2.size(1);
  const torch::Tensor keypoints = keypoints_NK2.to(torch::kFloat64);
  const torch::Tensor labelled_NK11 = keypoints.isnan().any(-1).logical_not_().view({N, K, 1, 1});
  const torch::Tensor row_weight_N111 = weight_N.to(device, torch::kFloat32).view({N, 1, 1, 1});

  const torch::Tensor dx_NK1w =
      keypoints.select(2, 0).view({N, K, 1, 1}) - axis_px(w, stride, device).view({1, 1, 1, w});
  const torch::Tensor dy_NKh1 =
      keypoints.select(2, 1).view({N, K, 1, 1}) - axis_px(h, stride, device).view({1, 1, h, 1});
  const torch::Tensor distance_NKhw = (dy_NKh1 * dy_NKh1 + dx_NK1w * dx_NK1w).sqrt_();
  const torch::Tensor squared_NKhw = distance_NKhw * distance_NKhw;

  const double sigma_px = 2 * options.pos_dist_thresh_px / 3;
  Targets targets;
  // where, not a product: NaN times 0 is NaN.
  const torch::Tensor zero = at::zeros({}, squared_NKhw.options());
  targets.heatmap_NKhw =
      at::where(labelled_NK11, (-squared_NKhw / (2 * sigma_px * sigma_px)).exp_(), zero).to(torch::kFloat32);
  const torch::Tensor offsets_NK2hw =
      at::stack({dx_NK1w.expand({N, K, h, w}), dy_NKh1.expand({N, K, h, w})}, 2).mul_(1.0 / options.locref_std);
  targets.locref_N2Khw =
      at::where(labelled_NK11.unsqueeze(2), offsets_NK2hw, zero).to(torch::kFloat32).view({N, 2 * K, h, w});
  const torch::Tensor disc_NKhw =  // false where NaN
      (squared_NKhw <= options.pos_dist_thresh_px * options.pos_dist_thresh_px)
          .to(torch::kFloat32)
          .mul_(row_weight_N111);
  targets.locref_mask_N2Khw = disc_NKhw.repeat_interleave(2, 1);
  torch::Tensor channel_weight_NK11 = at::ones({N, K, 1, 1}, row_weight_N111.options());
  if (options.gradient_masking)
    channel_weight_NK11.masked_fill_(labelled_NK11.logical_not(), options.background_weight);
  targets.heatmap_weight_NK11 = channel_weight_NK11.mul_(row_weight_N111);
  return targets;
}

TargetCounts count_targets(std::span<const float> keypoints_BK2, int keypoints, int h, int w, int stride,
                           const TargetOptions& options) {
  if (keypoints < 1 || keypoints_BK2.size() % (2 * static_cast<std::size_t>(keypoints)) != 0)
    throw std::invalid_argument(fmt::format("count_targets: got {} coordinates, expected rows of {} keypoints.",
                                            keypoints_BK2.size(), keypoints));
  const std::int64_t cells = static_cast<std::int64_t>(h) * w;
  const bool unlabelled_count = !options.gradient_masking || options.background_weight != 0;
  TargetCounts counts;
  for (std::size_t i = 0; i + 1 < keypoints_BK2.size(); i += 2) {
    const double x_px = keypoints_BK2[i], y_px = keypoints_BK2[i + 1];
    const bool labelled = !std::isnan(x_px) && !std::isnan(y_px);
    if (labelled || unlabelled_count) counts.heatmap += cells;
    if (labelled) counts.locref += 2 * cells_in_disc(x_px, y_px, h, w, stride, options.pos_dist_thresh_px);
  }
  return counts;
}

}  // namespace ringpose::trainer
