#include "trainer/validation.hpp"

#include <torch/types.h>
#include <torch/utils.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <type_traits>

#include "data/sampler.hpp"
#include "mpi/collectives.hpp"

namespace ringpose::trainer {

std::vector<Prediction> gather_predictions(const mpi::Communicator& world, std::span<const Prediction> local) {
  static_assert(std::is_trivially_copyable_v<Prediction>);
  std::string joined;
  for (const auto& part : mpi::gather(world, std::as_bytes(local)))
    joined.append(reinterpret_cast<const char*>(part.data()), part.size());
  mpi::broadcast(world, joined);
  std::vector<Prediction> all(joined.size() / sizeof(Prediction));
  std::memcpy(static_cast<void*>(all.data()), joined.data(), joined.size());
  return all;
}

std::vector<data::Keypoint> keypoints_of(const data::PackedReader& reader, std::span<const std::int64_t> rows) {
  std::vector<data::Keypoint> keypoints;
  for (const std::int64_t row : rows) {
    const auto of_row = reader.keypoints(row);
    keypoints.insert(keypoints.end(), of_row.begin(), of_row.end());
  }
  return keypoints;
}

namespace {

void append_predictions(PoseModel& model, const data::Image& image, const ValidationOptions& options,
                        std::vector<Prediction>& predictions) {
  const auto pixels = torch::from_blob(const_cast<std::uint8_t*>(image.pixels_HWC.data()),
                                       {1, image.height_px, image.width_px, image.channels}, torch::kUInt8)
                          .to(options.device);
  const torch::Tensor pose = decode(model.forward(normalize_images(pixels)), PoseModel::kStride, options.decode).cpu();
  const auto pose_NK3 = pose.accessor<float, 3>();
  for (std::int64_t k = 0; k < pose.size(1); ++k)
    predictions.push_back({pose_NK3[0][k][0], pose_NK3[0][k][1], pose_NK3[0][k][2]});
}

}  // namespace

ErrorReport validate(PoseModel& model, const data::PackedReader& reader, std::span<const std::int64_t> rows,
                     const mpi::Communicator& world, const ValidationOptions& options) {
  const torch::NoGradGuard no_grad;
  model.eval();
  const data::Slice mine = data::slice_of_batch(static_cast<std::int64_t>(rows.size()), world.rank(), world.size());
  std::vector<Prediction> predictions;
  for (std::int64_t i = 0; i < mine.count; ++i)
    append_predictions(model, reader.read_sample(rows[static_cast<std::size_t>(mine.first + i)]).image, options,
                       predictions);
  model.train();
  return pose_errors(keypoints_of(reader, rows), gather_predictions(world, predictions), model.options().keypoints,
                     options.pcutoff);
}

}  // namespace ringpose::trainer
