// Gradients summed and parameters made equal over real ranks.
#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

#include "mpi/backend.hpp"
#include "mpi/communicator.hpp"
#include "trainer/gradient_reducer.hpp"
#include "trainer/parameter_sync.hpp"

namespace ringpose::trainer {
namespace {

class Ranks : public testing::Test {
 protected:
  mpi::Communicator world_ = mpi::Communicator::world();
  std::unique_ptr<mpi::Backend> backend_ = mpi::make_backend(mpi::BackendKind::mpi, world_, -1);
  int rank() const { return world_.rank(); }
  int size() const { return world_.size(); }
  void TearDown() override { backend_->finish(); }
};

using GradientReducerMpi = Ranks;
using ParameterSync = Ranks;

TEST_F(GradientReducerMpi, SumsAndNeverAverages) {
  std::vector<torch::Tensor> parameters;
  for (int i = 0; i < 5; ++i) parameters.push_back(torch::zeros({100 * i + 1}).requires_grad_());
  for (const std::size_t bucket_bytes : {std::size_t{512}, std::size_t{2048}, std::size_t{1} << 20}) {
    for (const bool overlap : {true, false}) {
      GradientReducer reducer(parameters, backend_.get(), {bucket_bytes, 512, overlap});
      reducer.zero_gradients();
      reducer.overlap_next_backward();
      torch::Tensor loss = torch::zeros({});
      for (int i = 0; i < 5; ++i) {
        const torch::Tensor factor = torch::arange(100 * i + 1) + static_cast<float>(1000 * i + rank());
        loss = loss + (parameters[i] * factor).sum();  // the gradient is the factor
      }
      loss.backward();
      reducer.reduce();
      EXPECT_EQ(reducer.overlapped_buckets(), overlap ? reducer.bucket_count() : 0u);
      // sum over r of (index + 1000 i + r) = n (index + 1000 i) + n (n - 1) / 2
      for (int i = 0; i < 5; ++i) {
        const torch::Tensor expected =
            size() * (torch::arange(100 * i + 1) + static_cast<float>(1000 * i)) + size() * (size() - 1) / 2.0F;
        EXPECT_TRUE(torch::equal(parameters[i].grad(), expected.to(torch::kFloat32))) << "parameter " << i;
      }
    }
  }
}

TEST_F(ParameterSync, GivesEverybodyRankZerosBits) {
  torch::manual_seed(rank());
  const std::vector<torch::Tensor> tensors{torch::randn({7, 3}), torch::full({2}, rank(), torch::kInt64),
                                           torch::randn({2, 3, 4, 4}).contiguous(torch::MemoryFormat::ChannelsLast),
                                           torch::empty({0})};
  if (size() > 1) {
    EXPECT_THROW(require_equal(world_, hash_tensors(tensors), "tensors"), DesyncError);
  }
  broadcast_tensors(tensors, *backend_);
  EXPECT_NO_THROW(require_equal(world_, hash_tensors(tensors), "tensors"));
  torch::manual_seed(0);
  EXPECT_TRUE(torch::equal(tensors[0], torch::randn({7, 3})));
  EXPECT_TRUE(torch::equal(tensors[1], torch::zeros({2}, torch::kInt64)));
}

TEST_F(ParameterSync, NoticesOneChangedBit) {
  std::vector<torch::Tensor> tensors{torch::zeros({1000})};
  if (rank() == size() - 1 && size() > 1) tensors[0].view(torch::kInt32)[999] = 1;
  if (size() > 1) {
    EXPECT_THROW(require_equal(world_, hash_tensors(tensors), "tensors"), DesyncError);
  } else {
    EXPECT_NO_THROW(require_equal(world_, hash_tensors(tensors), "tensors"));
  }
}

}  // namespace
}  // namespace ringpose::trainer
