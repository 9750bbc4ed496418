#include "trainer/decoder.hpp"

#include <ATen/ops/stack.h>

namespace ringpose::trainer {

torch::Tensor decode(const PoseOutput& output, int stride, const DecodeOptions& options) {
  const torch::NoGradGuard no_grad;
  const std::int64_t N = output.heatmap_NKhw.size(0), K = output.heatmap_NKhw.size(1), w = output.heatmap_NKhw.size(3);
  const torch::Tensor heatmap_NKc = output.heatmap_NKhw.to(torch::kFloat32).flatten(2);
  const torch::Tensor locref_NK2c = output.locref_N2Khw.to(torch::kFloat32).flatten(2).view({N, K, 2, -1});

  const torch::Tensor cell_NK1 = heatmap_NKc.argmax(2, /*keepdim=*/true);  // the first one where several are equal
  const torch::Tensor likelihood_NK = heatmap_NKc.gather(2, cell_NK1).squeeze(2);
  const torch::Tensor offset_px_NK2 =
      locref_NK2c.gather(3, cell_NK1.unsqueeze(2).expand({N, K, 2, 1})).squeeze(3) * options.locref_std;
  const torch::Tensor cell_NK = cell_NK1.squeeze(2);
  const double half_cell_px = 0.5 * stride;
  const auto position_px = [&](const torch::Tensor& index, int axis) {
    return (index.to(torch::kFloat32) * stride + half_cell_px) + offset_px_NK2.select(2, axis);
  };
  const torch::Tensor x_px = position_px(cell_NK.remainder(w), 0);
  const torch::Tensor y_px = position_px(cell_NK.div(w, "floor"), 1);
  return at::stack({x_px, y_px, options.clip_scores ? likelihood_NK.clamp(0, 1) : likelihood_NK}, 2);
}

}  // namespace ringpose::trainer
