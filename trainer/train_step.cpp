#include "trainer/train_step.hpp"

#include <torch/types.h>
#include <torch/utils.h>

namespace ringpose::trainer {

namespace {

/// Copy on `device` of host memory that the batch owns.
template <typename T>
torch::Tensor to_device(const std::vector<T>& values, torch::IntArrayRef shape, torch::Device device) {
  const torch::Tensor host =
      torch::from_blob(const_cast<T*>(values.data()), shape, torch::CppTypeToScalarType<T>::value);
  return device.is_cpu() ? host : host.to(device);
}

}  // namespace

TrainStep::TrainStep(PoseModel& model, mpi::Backend* backend, torch::Device device, const TrainingOptions& options)
    : model_(model),
      device_(device),
      targets_(options.targets),
      loss_(options.loss),
      reducer_(model.parameters(), backend, options.reducer),
      optimizer_(model.parameters(), options.adamw) {}

Losses TrainStep::compute_gradients(const data::Batch& batch) {
  const std::int64_t keypoints = model_.options().keypoints;
  const auto images = to_device(batch.images_NHWC, {batch.local_rows, batch.height_px, batch.width_px, 3}, device_);
  const auto keypoints_NK2 = to_device(batch.keypoints_NK2, {batch.local_rows, keypoints, 2}, device_);
  const auto weight_N = to_device(batch.weight_N, {batch.local_rows}, device_);

  const PoseOutput output = model_.forward(normalize_images(images));
  const auto h = static_cast<int>(output.heatmap_NKhw.size(2));
  const auto w = static_cast<int>(output.heatmap_NKhw.size(3));
  const Targets targets = make_targets(keypoints_NK2, weight_N, h, w, PoseModel::kStride, targets_);
  // The denominators belong to the global batch, so that the ranks' gradients simply add up.
  const TargetCounts counts =
      count_targets(batch.keypoints_BK2, static_cast<int>(keypoints), h, w, PoseModel::kStride, targets_);

  reducer_.zero_gradients();
  reducer_.overlap_next_backward();
  Losses losses = pose_loss(output, targets, counts, loss_);
  losses.total.backward();
  reducer_.reduce();
  return losses;
}

}  // namespace ringpose::trainer
