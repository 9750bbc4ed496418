// One planner thread makes all random choices of a batch, queues the batch for next() and then its rows for the
// workers. The queue of batches is bounded, so the planner, and with it the workers, run at most prefetch_batches
// ahead.
#include "data/loader.hpp"

#include <algorithm>
#include <exception>
#include <latch>
#include <mutex>
#include <opencv2/core/utility.hpp>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "data/augmentation_draw.hpp"
#include "data/batch_plan.hpp"
#include "data/bounded_queue.hpp"
#include "data/error.hpp"
#include "data/image_cache.hpp"

namespace ringpose::data {
namespace {

/// A batch on its way: planned, being filled by workers, or done.
struct PendingBatch {
  explicit PendingBatch(BatchPlan made) : plan(std::move(made)), unfinished(plan.batch.real_rows) {}

  BatchPlan plan;
  std::latch unfinished;  ///< counts rows down; the batch and `error` may be read once it is 0
  std::mutex error_mutex;
  std::exception_ptr error;

  void fail(std::exception_ptr reason) {
    const std::lock_guard lock(error_mutex);
    if (!error) error = std::move(reason);
  }
};

using PendingPtr = std::shared_ptr<PendingBatch>;

struct RowJob {
  PendingPtr pending;
  std::int64_t local_row = 0;
};

void require(bool holds, const std::string& name, std::int64_t found, const std::string& expected) {
  if (!holds) throw ConfigError("loader option " + name + " is " + std::to_string(found) + "; expected " + expected);
}

void validate(const LoaderOptions& options) {
  options.augmentation.validate();
  require(options.world_size >= 1, "world_size", options.world_size, "1 or more");
  require(options.rank >= 0 && options.rank < options.world_size, "rank", options.rank, "a rank below world_size");
  require(options.threads >= 1, "threads", options.threads, "1 or more");
  require(options.prefetch_batches >= 1, "prefetch_batches", options.prefetch_batches, "1 or more");
  require(options.cache_limit_bytes >= 0, "cache_limit_bytes", options.cache_limit_bytes, "0 or more");
}

ImageSize size_of(const SampleSource& source, std::int64_t row) {
  return {source.height_px(row), source.width_px(row)};
}

std::string text_of(ImageSize size) {
  return std::to_string(size.width_px) + "x" + std::to_string(size.height_px);
}

void require_one_size(const SampleSource& source, const Sampler& sampler, const AugmentationOptions& augmentation) {
  if (augmentation.crop || sampler.global_batch() == 1) return;
  const ImageSize first = size_of(source, sampler.indices().front());
  for (const std::int64_t row : sampler.indices()) {
    const ImageSize size = size_of(source, row);
    if (size == first) continue;
    throw ConfigError("preparing batches of " + std::to_string(sampler.global_batch()) +
                      " images without a crop: found images of " + text_of(first) + " and " + text_of(size) +
                      ", which do not fit one batch; turn crop_sampling on, or use a batch size of 1");
  }
}

}  // namespace

struct Loader::Impl {
  Impl(const SampleSource& source, const Sampler& sampler, LoaderOptions options)
      : source_(source),
        sampler_(sampler),
        options_(std::move(options)),
        cache_(source, options_.cache_decoded ? options_.cache_limit_bytes : 0) {}
  ~Impl() { stop(); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void start(BatchPlace place);
  void stop();
  [[nodiscard]] Batch next();
  [[nodiscard]] std::int64_t steps_per_epoch() const { return sampler_.steps_per_epoch(); }

 private:
  void plan_batches(BatchPlace place);
  void fill_rows();
  void fill_row(PendingBatch& pending, std::int64_t local_row);

  const SampleSource& source_;
  const Sampler& sampler_;
  const LoaderOptions options_;
  ImageCache cache_;
  std::optional<BoundedQueue<PendingPtr>> batches_;
  std::optional<BoundedQueue<RowJob>> rows_;
  std::exception_ptr failure_;
  std::vector<std::jthread> threads_;  // last: joined before the queues go
};

void Loader::Impl::start(BatchPlace place) {
  stop();
  failure_ = nullptr;
  batches_.emplace(static_cast<std::size_t>(options_.prefetch_batches));
  rows_.emplace(static_cast<std::size_t>(options_.threads) * 2);
  threads_.emplace_back([this, place] { plan_batches(place); });
  for (int i = 0; i < options_.threads; ++i) threads_.emplace_back([this] { fill_rows(); });
}

void Loader::Impl::stop() {
  if (batches_) batches_->close();
  if (rows_) rows_->close();
  threads_.clear();
}

Batch Loader::Impl::next() {
  if (failure_) std::rethrow_exception(failure_);
  if (threads_.empty()) start({0, 0});
  const PendingPtr pending = batches_->pop().value();  // closed only by stop(), which this thread alone calls
  pending->unfinished.wait();
  if (pending->error) {
    failure_ = pending->error;
    stop();
    std::rethrow_exception(failure_);
  }
  return std::move(pending->plan.batch);
}

void Loader::Impl::plan_batches(BatchPlace place) {
  std::vector<std::int64_t> order;
  for (;; ++place.step) {
    if (place.step == sampler_.steps_per_epoch()) place = {place.epoch + 1, 0};
    BatchPlan plan;
    std::exception_ptr error;
    try {
      if (order.empty() || place.step == 0) order = sampler_.epoch_order(place.epoch);
      plan = plan_batch(source_, sampler_, options_, place, order);
    } catch (...) {
      plan = {};
      error = std::current_exception();
    }
    const std::int64_t rows = plan.batch.real_rows;
    const auto pending = std::make_shared<PendingBatch>(std::move(plan));
    if (error) pending->fail(error);
    if (!batches_->push(pending) || error) return;
    for (std::int64_t row = 0; row < rows; ++row) {
      if (!rows_->push({pending, row})) return;
    }
  }
}

void Loader::Impl::fill_rows() {
  while (std::optional<RowJob> job = rows_->pop()) {
    PendingBatch& pending = *job->pending;
    try {
      fill_row(pending, job->local_row);
    } catch (...) {
      pending.fail(std::current_exception());
    }
    pending.unfinished.count_down();
  }
}

void Loader::Impl::fill_row(PendingBatch& pending, std::int64_t local_row) {
  Batch& batch = pending.plan.batch;
  const auto index = static_cast<std::size_t>(local_row);
  const std::size_t image_bytes = batch.images_NHWC.size() / static_cast<std::size_t>(batch.local_rows);
  const std::span<std::uint8_t> pixels(batch.images_NHWC);
  augment_into(*cache_.get(pending.plan.source_rows[index]), pending.plan.draws[index],
               pixels.subspan(index * image_bytes, image_bytes));
}

Loader::Loader(const SampleSource& source, const Sampler& sampler, LoaderOptions options) {
  validate(options);
  require_one_size(source, sampler, options.augmentation);
  cv::setNumThreads(1);  // the workers are the threads; OpenCV must not start one pool for each of them
  impl_ = std::make_unique<Impl>(source, sampler, std::move(options));
}

Loader::~Loader() = default;

void Loader::start(std::int64_t epoch, std::int64_t step) {
  if (epoch < 0 || step < 0) {
    throw ConfigError("starting the loader at epoch " + std::to_string(epoch) + ", step " + std::to_string(step) +
                      ": expected 0 or more");
  }
  const std::int64_t steps = impl_->steps_per_epoch();
  impl_->start({epoch + step / steps, step % steps});
}

Batch Loader::next() {
  return impl_->next();
}

}  // namespace ringpose::data
