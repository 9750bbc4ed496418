// N ranks compute what one rank computes: gradients of the first step and the loss over 20 updates. The reference is
// plain PyTorch on the whole batch, without buckets, slices or padding.
#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "data/random.hpp"
#include "data/sampler.hpp"
#include "mpi/backend.hpp"
#include "mpi/collectives.hpp"
#include "mpi/communicator.hpp"
#include "trainer/metrics.hpp"
#include "trainer/parameter_sync.hpp"
#include "trainer/train_step.hpp"

namespace ringpose::trainer {
namespace {

constexpr int kKeypoints = 3;
constexpr int kSize_px = 64;
constexpr double kLearningRate = 5e-4;
constexpr double kGlobalTolerance = 1e-5;  // relative L2 over all gradients
constexpr double kTensorTolerance = 1e-4;  // relative L2 of the worst tensor
constexpr double kLossTolerance = 1e-3;

/// A global batch of `rows` images. Row b has a label for part k unless (b + k) % 3 == 0, and row 0 has none at all, so
/// that ranks hold different numbers of labels.
struct GlobalBatch {
  std::int64_t rows = 0;
  std::vector<std::uint8_t> images;
  std::vector<float> keypoints;
};

GlobalBatch make_global_batch(std::int64_t rows, std::uint64_t seed) {
  data::Random random({seed});
  GlobalBatch batch{rows, {}, {}};
  for (std::int64_t i = 0; i < rows * kSize_px * kSize_px * 3; ++i)
    batch.images.push_back(static_cast<std::uint8_t>(random.below(256)));
  for (std::int64_t b = 0; b < rows; ++b)
    for (int k = 0; k < kKeypoints; ++k)
      for (int axis = 0; axis < 2; ++axis) {
        const bool missing = b == 0 || (b + k) % 3 == 0;
        batch.keypoints.push_back(missing ? std::numeric_limits<float>::quiet_NaN()
                                          : static_cast<float>(random.uniform(4, kSize_px - 4)));
      }
  return batch;
}

data::Batch slice_for(const GlobalBatch& global, int rank, int world_size) {
  const data::Slice slice = data::slice_of_batch(global.rows, rank, world_size);
  data::Batch batch;
  batch.global_rows = global.rows;
  batch.first_row = slice.first;
  batch.real_rows = slice.count;
  batch.local_rows = slice.padded;
  batch.height_px = batch.width_px = kSize_px;
  const std::int64_t image = kSize_px * kSize_px * 3, points = kKeypoints * 2;
  batch.images_NHWC.assign(global.images.begin() + slice.first * image,
                           global.images.begin() + (slice.first + slice.count) * image);
  batch.images_NHWC.resize(slice.padded * image, 0);
  batch.keypoints_NK2.assign(global.keypoints.begin() + slice.first * points,
                             global.keypoints.begin() + (slice.first + slice.count) * points);
  batch.keypoints_NK2.resize(slice.padded * points, std::numeric_limits<float>::quiet_NaN());
  batch.weight_N.assign(slice.count, 1.0F);
  batch.weight_N.resize(slice.padded, 0.0F);
  batch.keypoints_BK2 = global.keypoints;
  return batch;
}

/// The same weights on every rank, with norm gains away from zero so that every branch of the network takes part.
std::shared_ptr<PoseModel> make_model() {
  torch::manual_seed(5);
  auto model = std::make_shared<PoseModel>(PoseModelOptions{"resnet_18", kKeypoints});
  const torch::NoGradGuard no_grad;
  for (auto& parameter : model->named_parameters())
    if (parameter.value().dim() == 1 && parameter.key().ends_with("weight")) parameter.value().uniform_(0.5, 1.5);
  model->train();
  return model;
}

TrainingOptions options() {
  TrainingOptions training;
  training.net_type = "resnet_18";
  training.reducer.bucket_bytes = 1 << 20;  // several buckets
  return training;
}

Losses plain_losses(PoseModel& model, const GlobalBatch& batch) {
  const TrainingOptions training = options();
  const auto images = torch::from_blob(const_cast<std::uint8_t*>(batch.images.data()),
                                       {batch.rows, kSize_px, kSize_px, 3}, torch::kUInt8);
  const auto keypoints = torch::from_blob(const_cast<float*>(batch.keypoints.data()), {batch.rows, kKeypoints, 2});
  const PoseOutput output = model.forward(normalize_images(images));
  const auto h = static_cast<int>(output.heatmap_NKhw.size(2)), w = static_cast<int>(output.heatmap_NKhw.size(3));
  const Targets targets =
      make_targets(keypoints, torch::ones({batch.rows}), h, w, PoseModel::kStride, training.targets);
  return pose_loss(output, targets,
                   count_targets(batch.keypoints, kKeypoints, h, w, PoseModel::kStride, training.targets),
                   training.loss);
}

std::vector<torch::Tensor> plain_gradients(const GlobalBatch& batch) {
  const auto model = make_model();
  plain_losses(*model, batch).total.backward();
  std::vector<torch::Tensor> gradients;
  for (const torch::Tensor& parameter : model->parameters()) gradients.push_back(parameter.grad());
  return gradients;
}

std::vector<torch::Tensor> gradients_of(PoseModel& model) {
  std::vector<torch::Tensor> gradients;
  for (const torch::Tensor& parameter : model.parameters()) gradients.push_back(parameter.grad().clone());
  return gradients;
}

struct Difference {
  double global = 0;
  double worst_tensor = 0;
  [[nodiscard]] bool agrees() const { return global < kGlobalTolerance && worst_tensor < kTensorTolerance; }
};

Difference compare(const std::vector<torch::Tensor>& found, const std::vector<torch::Tensor>& expected) {
  Difference difference;
  double squares = 0, scale = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double error = (found[i] - expected[i]).to(torch::kFloat64).norm().item<double>();
    const double size = expected[i].to(torch::kFloat64).norm().item<double>();
    squares += error * error;
    scale += size * size;
    difference.worst_tensor = std::max(difference.worst_tensor, error / std::max(size, 1e-12));
  }
  difference.global = std::sqrt(squares / scale);
  return difference;
}

class Training : public testing::Test {
 protected:
  Training() { torch::set_num_threads(1); }
  void TearDown() override { backend_->finish(); }
  mpi::Communicator world_ = mpi::Communicator::world();
  std::unique_ptr<mpi::Backend> backend_ = mpi::make_backend(mpi::BackendKind::mpi, world_, -1);
};

TEST_F(Training, FirstGradientEqualsThatOfOneRank) {
  for (const std::int64_t rows : {8, 5}) {  // 5: an uneven last batch, with padding on some ranks
    const GlobalBatch batch = make_global_batch(rows, 11);
    const auto model = make_model();
    TrainStep step(*model, backend_.get(), torch::kCPU, options());
    (void)step.compute_gradients(slice_for(batch, world_.rank(), world_.size()));
    std::vector<torch::Tensor> found = gradients_of(*model);
    EXPECT_NO_THROW(require_equal(world_, hash_tensors(found), "gradients"));
    if (world_.rank() != 0) continue;
    const std::vector<torch::Tensor> expected = plain_gradients(batch);
    const Difference difference = compare(found, expected);
    EXPECT_TRUE(difference.agrees()) << rows << " rows: global " << difference.global << ", worst tensor "
                                     << difference.worst_tensor;
    for (torch::Tensor& gradient : found) gradient *= 0.5;  // what averaging over two ranks would do
    EXPECT_FALSE(compare(found, expected).agrees()) << "the comparison does not notice halved gradients";
  }
}

TEST_F(Training, LabelsAreSpreadUnevenlyOverRanks) {
  if (world_.size() == 1) GTEST_SKIP() << "needs two ranks";
  const data::Batch mine = slice_for(make_global_batch(8, 11), world_.rank(), world_.size());
  const auto labels = static_cast<double>(
      std::count_if(mine.keypoints_NK2.begin(), mine.keypoints_NK2.end(), [](float x) { return x == x; }));
  const std::vector<double> of_ranks = mpi::all_gather(world_, labels);
  EXPECT_NE(*std::min_element(of_ranks.begin(), of_ranks.end()), *std::max_element(of_ranks.begin(), of_ranks.end()));
}

TEST_F(Training, LossOverTwentyUpdatesEqualsThatOfOneRank) {
  constexpr int kUpdates = 20;
  std::vector<double> found, expected;
  const auto model = make_model();
  TrainStep step(*model, backend_.get(), torch::kCPU, options());
  for (int update = 0; update < kUpdates; ++update) {
    const GlobalBatch batch = make_global_batch(update % 4 == 3 ? 5 : 6, 100 + update % 4);
    LossMeter meter(torch::kCPU);
    meter.add(step.compute_gradients(slice_for(batch, world_.rank(), world_.size())), update);
    found.push_back(sum_over_ranks(world_, meter.sums()).total);
    step.update(kLearningRate);
  }
  if (world_.rank() != 0) return;
  const auto reference = make_model();
  AdamW optimizer(reference->parameters(), AdamWOptions{});
  for (int update = 0; update < kUpdates; ++update) {
    const GlobalBatch batch = make_global_batch(update % 4 == 3 ? 5 : 6, 100 + update % 4);
    for (torch::Tensor& parameter : reference->parameters()) parameter.mutable_grad() = torch::Tensor();
    const Losses losses = plain_losses(*reference, batch);
    losses.total.backward();
    expected.push_back(losses.total.item<double>());
    optimizer.step(kLearningRate);
  }
  for (int update = 0; update < kUpdates; ++update)
    EXPECT_NEAR(found[update], expected[update], kLossTolerance * expected[update]) << "update " << update;
  EXPECT_LT(expected.back(), expected.front()) << "the reference does not learn";
}

}  // namespace
}  // namespace ringpose::trainer
