#include "trainer/training_loop.hpp"

#include <fmt/format.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <map>

#include "data/error.hpp"
#include "mpi/collectives.hpp"
#include "trainer/parameter_sync.hpp"
#include "trainer/snapshots.hpp"
#include "trainer/validation.hpp"
#include "trainer/weights.hpp"

namespace ringpose::trainer {

namespace {

void require_enough_images(const mpi::Communicator& world, const data::Sampler& sampler) {
  const std::int64_t rows = std::min(sampler.global_batch(), sampler.size());
  if (world.size() <= rows) return;
  throw data::ConfigError(
      fmt::format("Training was started on {} ranks, but a batch holds only {} images (global batch {}, {} training "
                  "images). Every rank "
                  "needs at least one: start at most {} ranks, or raise the global batch.",
                  world.size(), rows, sampler.global_batch(), sampler.size(), rows));
}

data::LoaderOptions loader_options(const TrainingSite& site, const TrainingOptions& options) {
  data::LoaderOptions loader;
  loader.seed = options.seed;
  loader.rank = site.world.rank();
  loader.world_size = site.world.size();
  // On the CPU the cores are busy with the model; beside a GPU they are free for images.
  const int automatic = site.device.is_cpu() ? 1 : std::max(1, site.cpu_threads);
  loader.threads = options.read_ahead.threads > 0 ? options.read_ahead.threads : automatic;
  loader.prefetch_batches = options.read_ahead.prefetch_batches;
  loader.cache_decoded = options.read_ahead.cache_decoded;
  loader.cache_limit_bytes = options.read_ahead.cache_limit_mib << 20;
  loader.augmentation = options.augmentation;
  return loader;
}

void load_parameters(PoseModel& model, const std::vector<std::pair<std::string, torch::Tensor>>& saved) {
  const torch::NoGradGuard no_grad;
  const std::map<std::string, torch::Tensor> by_name(saved.begin(), saved.end());
  for (auto& parameter : model.named_parameters()) {
    const auto found = by_name.find(parameter.key());
    if (found == by_name.end() || found->second.sizes() != parameter.value().sizes())
      throw data::FormatError(
          fmt::format("Resuming: the checkpoint has no tensor '{}' of the model's shape.", parameter.key()));
    parameter.value().copy_(found->second);
  }
}

void require_finite(const PoseModel& model, std::int64_t epoch) {
  const torch::NoGradGuard no_grad;
  torch::Tensor sum;
  for (const torch::Tensor& parameter : model.parameters())
    sum = sum.defined() ? sum + parameter.abs().sum() : parameter.abs().sum();
  if (!sum.defined() || std::isfinite(sum.item<double>())) return;
  throw TrainingError(fmt::format(
      "Training stopped after epoch {}: the weights are no longer finite. Lower the learning rate.", epoch));
}

}  // namespace

TrainingLoop::TrainingLoop(const TrainingSite& site, const TrainingOptions& options, const TrainingSpan& span)
    : site_(site),
      options_(options),
      span_(span),
      sampler_(site.reader.split().train, options.global_batch, options.seed),
      losses_(site.device),
      best_rmse_px_(std::numeric_limits<double>::quiet_NaN()) {
  options_.validate();
  require_enough_images(site_.world, sampler_);
  torch::manual_seed(options_.seed);
  model_ = std::make_shared<PoseModel>(PoseModelOptions{options_.net_type, site_.reader.project().skeleton.size()});
  initialize_weights();
  loader_ = std::make_unique<data::Loader>(site_.reader, sampler_, loader_options(site_, options_));
  loader_->start(epoch_, step_in_epoch_);
  clock_.first_update = updates_;
  if (site_.world.rank() == 0) csv_.emplace(site_.run_folder / kMetricsFile, epoch_);
}

void TrainingLoop::initialize_weights() {
  if (span_.weights && span_.resume == nullptr && site_.world.rank() == 0)
    load_initial_weights(*model_, *span_.weights);
  model_->to(site_.device);
  model_->train();
  step_ = std::make_unique<TrainStep>(*model_, site_.backend, site_.device, options_);
  if (span_.resume != nullptr) restore();
  const std::vector<torch::Tensor> parameters = model_->parameters();
  if (site_.backend != nullptr) broadcast_tensors(parameters, *site_.backend);
  require_equal(site_.world, step_->plan_hash(), "the gradient bucket plan");
  require_equal(site_.world, hash_tensors(parameters), "the initial weights");
}

void TrainingLoop::restore() {
  const Checkpoint& saved = *span_.resume;
  AdamW& optimizer = step_->optimizer();
  if (site_.world.rank() == 0) {
    load_parameters(*model_, saved.model);
    optimizer.load_state(saved.exp_avg, saved.exp_avg_sq, saved.optimizer_steps);
  } else {
    optimizer.load_state(optimizer.exp_avg(), optimizer.exp_avg_sq(), saved.optimizer_steps);
  }
  if (site_.backend != nullptr) {
    broadcast_tensors(optimizer.exp_avg(), *site_.backend);
    broadcast_tensors(optimizer.exp_avg_sq(), *site_.backend);
  }
  epoch_ = saved.epoch;
  step_in_epoch_ = saved.step;
  updates_ = saved_updates_ = saved.global_step;
  best_rmse_px_ = saved.best_metric;
  best_epoch_ = saved.best_epoch;
  losses_.reset(sums_of_rank(saved.epoch_sums, saved.world_size, site_.world));
}

TrainingResult TrainingLoop::run(const TrainingEvents& events) {
  while (epoch_ < options_.epochs && !stop_requested()) {
    train_epoch(events);
    if (step_in_epoch_ == sampler_.steps_per_epoch()) result_.last = finish_epoch(events);
  }
  if (saved_updates_ != updates_) save(false, events);
  result_.epochs = epoch_;
  result_.updates = updates_;
  result_.finished = epoch_ >= options_.epochs;
  result_.best_rmse_px = best_rmse_px_;
  result_.best_epoch = best_epoch_;
  result_.seconds = seconds_since(clock_.start);
  result_.images_per_s = TrainingClock::images_per_s({}, clock_.now);
  result_.data_wait_share = TrainingClock::wait_share({}, clock_.now);
  return result_;
}

bool TrainingLoop::stop_requested() const {
  return (span_.stop_after_updates && updates_ >= *span_.stop_after_updates) ||
         (span_.stop_after_epochs && epoch_ >= *span_.stop_after_epochs);
}

void TrainingLoop::train_epoch(const TrainingEvents& events) {
  const double learning_rate = learning_rate_at(options_.schedule, epoch_);
  while (step_in_epoch_ < sampler_.steps_per_epoch() && !stop_requested()) {
    const auto started = SteadyClock::now();
    const data::Batch batch = loader_->next();
    assert(batch.epoch == epoch_ && batch.step == step_in_epoch_);
    clock_.now.wait_s += seconds_since(started);
    const Losses losses = step_->compute_gradients(batch);
    losses_.add(losses, step_in_epoch_ + 1);
    step_->update(learning_rate);
    ++step_in_epoch_;
    ++updates_;
    clock_.now.rows += batch.global_rows;
    clock_.now.train_s += seconds_since(started);
    if (--clock_.steps_until_report == 0) report(events);
  }
}

LossSums TrainingLoop::checked_sums() const {
  const LossSums sums = sum_over_ranks(site_.world, losses_.sums());
  if (std::isfinite(sums.total)) return sums;
  const auto step = min_over_ranks(site_.world, losses_.first_bad_step());
  throw TrainingError(
      fmt::format("Training stopped: the loss is not finite in epoch {}, step {} of {} (learning rate {}). Usual "
                  "cause: a learning rate "
                  "that is too high. Lower it and start anew, or resume from an earlier snapshot.",
                  epoch_ + 1, step.value_or(step_in_epoch_), sampler_.steps_per_epoch(),
                  learning_rate_at(options_.schedule, epoch_)));
}

void TrainingLoop::report(const TrainingEvents& events) {
  constexpr double kSecondsBetweenReports = 1.0;
  constexpr double kMostSteps = 200;
  const auto waiting_for_device = SteadyClock::now();
  const LossSums sums = checked_sums();
  TrainingClock& clock = clock_;
  clock.now.train_s += seconds_since(waiting_for_device);
  const double step_s = clock.now.train_s / static_cast<double>(updates_ - clock.first_update);
  const double interval = std::clamp(std::floor(kSecondsBetweenReports / std::max(step_s, 1e-6)), 1.0, kMostSteps);
  // The next report is a collective, so rank 0 says when it is.
  std::array<double, 2> shared{TrainingClock::wait_share(clock.at_report, clock.now),
                               site_.world.rank() == 0 ? interval : 0};
  mpi::all_reduce(site_.world, std::span<double>(shared));
  clock.steps_until_report = static_cast<std::int64_t>(shared[1]);
  const std::int64_t left = options_.epochs * sampler_.steps_per_epoch() - updates_;
  const double run_s_per_step = seconds_since(clock.start) / static_cast<double>(updates_ - clock.first_update);
  const Progress progress{epoch_ + 1,
                          options_.epochs,
                          step_in_epoch_,
                          sampler_.steps_per_epoch(),
                          sums.total / static_cast<double>(step_in_epoch_),
                          TrainingClock::images_per_s(clock.at_report, clock.now),
                          shared[0] / site_.world.size(),
                          run_s_per_step * static_cast<double>(left)};
  clock.at_report = clock.now;
  if (events.progress) events.progress(progress);
}

EpochMetrics TrainingLoop::finish_epoch(const TrainingEvents& events) {
  const auto steps = static_cast<double>(sampler_.steps_per_epoch());
  const LossSums sums = checked_sums();
  EpochMetrics metrics;
  metrics.loss_heatmap = sums.heatmap / steps;
  metrics.loss_locref = sums.locref / steps;
  metrics.loss_total = sums.total / steps;
  metrics.learning_rate = learning_rate_at(options_.schedule, epoch_);
  metrics.images_per_s = TrainingClock::images_per_s(clock_.at_epoch, clock_.now);
  clock_.at_epoch = clock_.now;
  metrics.epoch = ++epoch_;
  step_in_epoch_ = 0;
  losses_.reset();
  const bool last = epoch_ == options_.epochs;
  if (last || epoch_ % options_.eval_interval == 0) evaluate(metrics, events);
  // Before the snapshot: a run that ends in between repeats the epoch and its row, but never loses a row.
  if (csv_) csv_->write(metrics);
  if (last || epoch_ % options_.save_epochs == 0) save(false, events);
  if (events.epoch_done) events.epoch_done(metrics);
  return metrics;
}

void TrainingLoop::evaluate(EpochMetrics& metrics, const TrainingEvents& events) {
  const std::vector<std::int64_t>& rows = site_.reader.split().test;
  if (rows.empty()) return;
  const DecodeOptions decode{options_.targets.locref_std, true};
  result_.test = validate(*model_, site_.reader, rows, site_.world, {site_.device, decode, options_.eval_pcutoff});
  metrics.test_rmse_px = result_.test->all.mean_px;
  metrics.test_rmse_pcutoff_px = result_.test->all.mean_pcutoff_px;
  if (std::isnan(metrics.test_rmse_px) || metrics.test_rmse_px >= best_rmse_px_) return;
  best_rmse_px_ = metrics.test_rmse_px;
  best_epoch_ = epoch_;
  save(true, events);
}

void TrainingLoop::save(bool best, const TrainingEvents& events) {
  require_finite(*model_, epoch_);
  if (!best && step_in_epoch_ > 0) (void)checked_sums();
  const Checkpoint checkpoint = snapshot(best);
  const std::filesystem::path path = site_.run_folder / file_name({epoch_, best ? 0 : step_in_epoch_, best});
  if (site_.world.rank() == 0) {
    save_checkpoint(path, checkpoint);
    for (const SnapshotName& name : surplus_snapshots(list_snapshots(site_.run_folder), options_.max_snapshots))
      std::filesystem::remove(site_.run_folder / file_name(name));
  }
  if (!best) {
    saved_updates_ = updates_;
    result_.last_snapshot = path;
  }
  if (events.snapshot_saved) events.snapshot_saved(path);
}

Checkpoint TrainingLoop::snapshot(bool best) {
  Checkpoint checkpoint;
  checkpoint.epoch_sums = gather_sums(site_.world, losses_.sums());
  for (const auto& parameter : model_->named_parameters())
    checkpoint.model.emplace_back(parameter.key(), parameter.value());
  if (!best) {
    checkpoint.exp_avg = step_->optimizer().exp_avg();
    checkpoint.exp_avg_sq = step_->optimizer().exp_avg_sq();
  }
  checkpoint.optimizer_steps = step_->optimizer().steps_taken();
  checkpoint.epoch = epoch_;
  checkpoint.step = step_in_epoch_;
  checkpoint.global_step = updates_;
  checkpoint.seed = options_.seed;
  checkpoint.global_batch = options_.global_batch;
  checkpoint.world_size = site_.world.size();
  checkpoint.cpu_threads = site_.cpu_threads;
  checkpoint.dataset_digest = site_.reader.content_digest();
  checkpoint.config_yaml = span_.config_yaml;
  checkpoint.net_type = options_.net_type;
  checkpoint.best_metric = best_rmse_px_;
  checkpoint.best_epoch = best_epoch_;
  checkpoint.project = site_.reader.project();
  return checkpoint;
}

}  // namespace ringpose::trainer
