#include "trainer/metrics.hpp"

#include <fmt/format.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <array>
#include <limits>

#include "mpi/collectives.hpp"

namespace ringpose::trainer {

namespace {

constexpr std::int64_t kNoStep = std::numeric_limits<std::int64_t>::max();

std::string sum_name(int rank, const char* loss) {
  return fmt::format("rank{}.{}", rank, loss);
}

}  // namespace

LossMeter::LossMeter(torch::Device device)
    : sums_(torch::zeros({3}, torch::dtype(torch::kFloat64).device(device))),
      bad_step_(torch::full({}, kNoStep, torch::dtype(torch::kInt64).device(device))) {}

void LossMeter::add(const Losses& losses, std::int64_t step) {
  const torch::NoGradGuard no_grad;
  const torch::Tensor values = torch::stack({losses.heatmap.detach(), losses.locref.detach(), losses.total.detach()});
  sums_ += values.to(torch::kFloat64);
  const torch::Tensor here = torch::where(torch::isfinite(losses.total.detach()), kNoStep, step);
  bad_step_ = torch::minimum(bad_step_, here.to(torch::kInt64));
}

LossSums LossMeter::sums() const {
  const torch::Tensor host = sums_.cpu();
  const auto* values = host.const_data_ptr<double>();
  return {values[0], values[1], values[2]};
}

std::optional<std::int64_t> LossMeter::first_bad_step() const {
  const auto step = bad_step_.item<std::int64_t>();
  return step == kNoStep ? std::nullopt : std::optional(step);
}

void LossMeter::reset(const LossSums& start) {
  sums_.copy_(torch::tensor({start.heatmap, start.locref, start.total}, torch::kFloat64));
  bad_step_.fill_(kNoStep);
}

LossSums sum_over_ranks(const mpi::Communicator& world, const LossSums& local) {
  std::array<double, 3> values{local.heatmap, local.locref, local.total};
  mpi::all_reduce(world, std::span<double>(values));
  return {values[0], values[1], values[2]};
}

std::map<std::string, double> gather_sums(const mpi::Communicator& world, const LossSums& local) {
  std::map<std::string, double> sums;
  const auto add = [&](const char* name, double value) {
    const std::vector<double> values = mpi::all_gather(world, value);
    for (int rank = 0; rank < world.size(); ++rank) sums[sum_name(rank, name)] = values[static_cast<std::size_t>(rank)];
  };
  add("heatmap", local.heatmap);
  add("locref", local.locref);
  add("total", local.total);
  return sums;
}

LossSums sums_of_rank(const std::map<std::string, double>& gathered, int saved_ranks, const mpi::Communicator& world) {
  LossSums sums;
  for (int saved = 0; saved < saved_ranks; ++saved) {
    const bool mine = world.size() == saved_ranks ? saved == world.rank() : world.rank() == 0;
    if (!mine || !gathered.contains(sum_name(saved, "total"))) continue;
    sums.heatmap += gathered.at(sum_name(saved, "heatmap"));
    sums.locref += gathered.at(sum_name(saved, "locref"));
    sums.total += gathered.at(sum_name(saved, "total"));
  }
  return sums;
}

std::optional<std::int64_t> min_over_ranks(const mpi::Communicator& world, std::optional<std::int64_t> local) {
  std::array<std::int64_t, 1> value{local.value_or(kNoStep)};
  mpi::all_reduce(world, std::span<std::int64_t>(value), mpi::ReduceOp::min);
  return value[0] == kNoStep ? std::nullopt : std::optional(value[0]);
}

}  // namespace ringpose::trainer
