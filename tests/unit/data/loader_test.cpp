#include "data/loader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "data/error.hpp"
#include "data/random.hpp"

namespace ringpose::data {
namespace {

constexpr int kKeypoints = 3;

/// Textured images whose size and content depend on the row; one keypoint is unlabelled in every fourth row.
class FakeSource : public SampleSource {
 public:
  explicit FakeSource(std::int64_t rows) : rows_(rows) {}

  [[nodiscard]] std::int64_t size() const override { return rows_; }
  [[nodiscard]] int height_px(std::int64_t row) const override {
    return mixed_sizes ? 60 + static_cast<int>(row % 3) : 60;
  }
  [[nodiscard]] int width_px(std::int64_t row) const override {
    return mixed_sizes ? 80 + static_cast<int>(row % 5) : 80;
  }

  [[nodiscard]] std::vector<Keypoint> keypoints(std::int64_t row) const override {
    Random random({99, static_cast<std::uint64_t>(row)});
    std::vector<Keypoint> points(kKeypoints);
    for (Keypoint& point : points) point = {random.uniform(5, 75), random.uniform(5, 55)};
    if (row % 4 == 0) points[1] = {};
    return points;
  }

  [[nodiscard]] Sample read_sample(std::int64_t row) const override {
    ++reads;
    if (row == failing_row) throw FormatError("row 5 is damaged");
    std::this_thread::sleep_for(read_time);
    Sample sample{{height_px(row), width_px(row), 3, {}}, keypoints(row)};
    Random random({7, static_cast<std::uint64_t>(row)});
    sample.image.pixels_HWC.resize(static_cast<std::size_t>(height_px(row) * width_px(row) * 3));
    for (auto& pixel : sample.image.pixels_HWC) pixel = static_cast<std::uint8_t>(random.below(256));
    return sample;
  }

  bool mixed_sizes = true;
  std::int64_t failing_row = -1;
  std::chrono::milliseconds read_time{0};
  mutable std::atomic<int> reads{0};

 private:
  std::int64_t rows_;
};

Sampler all_rows(const FakeSource& source, std::int64_t global_batch) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(source.size()));
  std::iota(rows.begin(), rows.end(), 0);
  return {rows, global_batch, 3};
}

LoaderOptions small_crop() {
  LoaderOptions options;
  options.augmentation.crop_width_px = 64;
  options.augmentation.crop_height_px = 48;
  return options;
}

std::vector<Batch> take(const FakeSource& source, const Sampler& sampler, const LoaderOptions& options, int count) {
  Loader loader(source, sampler, options);
  std::vector<Batch> batches;
  for (int i = 0; i < count; ++i) batches.push_back(loader.next());
  return batches;
}

/// Equal bytes, so that equal NaN count as equal.
bool same_floats(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

void expect_same(const Batch& a, const Batch& b) {
  EXPECT_EQ(a.epoch, b.epoch);
  EXPECT_EQ(a.step, b.step);
  EXPECT_EQ(a.images_NHWC, b.images_NHWC);
  EXPECT_EQ(a.weight_N, b.weight_N);
  EXPECT_TRUE(same_floats(a.keypoints_NK2, b.keypoints_NK2));
  EXPECT_TRUE(same_floats(a.keypoints_BK2, b.keypoints_BK2));
}

TEST(Loader, WalksEpochsAndStepsInOrder) {
  const FakeSource source(10);
  const Sampler sampler = all_rows(source, 4);
  const auto batches = take(source, sampler, small_crop(), 7);
  const std::vector<std::array<std::int64_t, 3>> expected{{0, 0, 4}, {0, 1, 4}, {0, 2, 2}, {1, 0, 4},
                                                          {1, 1, 4}, {1, 2, 2}, {2, 0, 4}};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(batches[i].epoch, expected[i][0]);
    EXPECT_EQ(batches[i].step, expected[i][1]);
    EXPECT_EQ(batches[i].global_rows, expected[i][2]);
  }
}

TEST(Loader, WithoutAugmentationHandsOutTheSourceItself) {
  FakeSource source(9);
  source.mixed_sizes = false;
  const Sampler sampler = all_rows(source, 4);
  LoaderOptions options;
  options.augmentation.affine = options.augmentation.crop = options.augmentation.motion_blur = false;
  options.augmentation.gaussian_noise = 0;
  for (const Batch& batch : take(source, sampler, options, 6)) {
    const auto rows = sampler.batch(batch.epoch, batch.step);
    ASSERT_EQ(batch.local_rows, static_cast<std::int64_t>(rows.size()));
    std::vector<std::uint8_t> pixels;
    std::vector<float> xy;
    for (const auto row : rows) {
      const Sample sample = source.read_sample(row);
      pixels.insert(pixels.end(), sample.image.pixels_HWC.begin(), sample.image.pixels_HWC.end());
      for (const auto& point : sample.keypoints) {
        xy.push_back(static_cast<float>(point.x_px));
        xy.push_back(static_cast<float>(point.y_px));
      }
    }
    EXPECT_EQ(batch.height_px, 60);
    EXPECT_EQ(batch.width_px, 80);
    EXPECT_EQ(batch.images_NHWC, pixels);
    ASSERT_EQ(batch.keypoints_NK2.size(), xy.size());
    for (std::size_t i = 0; i < xy.size(); ++i)
      EXPECT_THAT(batch.keypoints_NK2[i], testing::NanSensitiveFloatEq(xy[i]));
  }
}

TEST(Loader, SameBytesForAnyNumberOfThreadsCacheAndPrefetch) {
  const FakeSource source(23);
  const Sampler sampler = all_rows(source, 8);
  const auto expected = take(source, sampler, small_crop(), 8);
  for (const int threads : {2, 3, 7}) {
    LoaderOptions options = small_crop();
    options.threads = threads;
    options.prefetch_batches = threads == 3 ? 1 : 5;
    options.cache_decoded = threads != 2;
    options.cache_limit_bytes = threads == 7 ? 100000 : options.cache_limit_bytes;  // holds some of the images
    const auto batches = take(source, sampler, options, 8);
    for (std::size_t i = 0; i < expected.size(); ++i) expect_same(batches[i], expected[i]);
  }
}

/// Joins the real rows of all ranks and checks the padding of each on the way.
Batch join_ranks(const FakeSource& source, const Sampler& sampler, int world_size, std::int64_t step) {
  Batch joined;
  for (int rank = 0; rank < world_size; ++rank) {
    LoaderOptions options = small_crop();
    options.rank = rank;
    options.world_size = world_size;
    Loader loader(source, sampler, options);
    loader.start(1, step);
    const Batch batch = loader.next();
    EXPECT_EQ(batch.first_row, static_cast<std::int64_t>(joined.weight_N.size()));
    EXPECT_EQ(batch.local_rows, (batch.global_rows + world_size - 1) / world_size);
    EXPECT_EQ(batch.weight_N.size(), static_cast<std::size_t>(batch.local_rows));
    EXPECT_EQ(batch.images_NHWC.size(), static_cast<std::size_t>(batch.local_rows * 48 * 64 * 3));
    const auto image_bytes = batch.real_rows * 48 * 64 * 3;
    const auto floats = batch.real_rows * kKeypoints * 2;
    joined.images_NHWC.insert(joined.images_NHWC.end(), batch.images_NHWC.begin(),
                              batch.images_NHWC.begin() + image_bytes);
    joined.keypoints_NK2.insert(joined.keypoints_NK2.end(), batch.keypoints_NK2.begin(),
                                batch.keypoints_NK2.begin() + floats);
    for (std::int64_t row = 0; row < batch.local_rows; ++row) {
      const float weight = batch.weight_N[static_cast<std::size_t>(row)];
      EXPECT_EQ(weight, row < batch.real_rows ? 1.0F : 0.0F);
      if (weight > 0) joined.weight_N.push_back(weight);
    }
    for (auto i = image_bytes; i < static_cast<std::int64_t>(batch.images_NHWC.size()); ++i) {
      EXPECT_EQ(batch.images_NHWC[static_cast<std::size_t>(i)], 0);
    }
    for (auto i = static_cast<std::size_t>(floats); i < batch.keypoints_NK2.size(); ++i) {
      EXPECT_TRUE(std::isnan(batch.keypoints_NK2[i]));
    }
    joined.keypoints_BK2 = batch.keypoints_BK2;
    EXPECT_EQ(joined.keypoints_BK2.size(), static_cast<std::size_t>(batch.global_rows * kKeypoints * 2));
    joined.epoch = batch.epoch;
    joined.step = batch.step;
  }
  return joined;
}

TEST(Loader, SlicesOfAllRanksAreTheSingleRankBatch) {
  const FakeSource source(18);  // batches of 8, 8 and 2 rows: the last leaves ranks without any row
  const Sampler sampler = all_rows(source, 8);
  for (std::int64_t step = 0; step < 3; ++step) {
    Loader single(source, sampler, small_crop());
    single.start(1, step);
    const Batch expected = single.next();
    EXPECT_TRUE(same_floats(expected.keypoints_BK2, expected.keypoints_NK2));
    for (int world_size = 1; world_size <= 5; ++world_size) {
      SCOPED_TRACE("step " + std::to_string(step) + ", " + std::to_string(world_size) + " ranks");
      const Batch joined = join_ranks(source, sampler, world_size, step);
      expect_same(joined, expected);
      EXPECT_TRUE(same_floats(joined.keypoints_BK2, expected.keypoints_BK2));
    }
  }
}

TEST(Loader, RestartsAnywhereWithTheSameBytes) {
  const FakeSource source(10);
  const Sampler sampler = all_rows(source, 4);
  const auto expected = take(source, sampler, small_crop(), 8);
  LoaderOptions options = small_crop();
  options.threads = 2;
  Loader loader(source, sampler, options);
  for (const std::size_t first : {5U, 0U, 3U, 7U}) {
    loader.start(static_cast<std::int64_t>(first / 3), static_cast<std::int64_t>(first % 3));
    for (std::size_t i = first; i < expected.size(); ++i) expect_same(loader.next(), expected[i]);
  }
  loader.start(0, 3);  // the step after the last of an epoch
  expect_same(loader.next(), expected[3]);
}

TEST(Loader, SeedChangesTheAugmentation) {
  const FakeSource source(10);
  const Sampler sampler = all_rows(source, 4);
  LoaderOptions options = small_crop();
  const auto batches = take(source, sampler, options, 1);
  options.seed = 43;
  EXPECT_NE(take(source, sampler, options, 1)[0].images_NHWC, batches[0].images_NHWC);
}

TEST(Loader, DecodesOnceWhenAllImagesFitTheCache) {
  const FakeSource source(10);
  const Sampler sampler = all_rows(source, 5);
  (void)take(source, sampler, small_crop(), 9);
  EXPECT_EQ(source.reads, 10);
}

TEST(Loader, CacheStopsAtItsLimit) {
  FakeSource source(10);
  source.mixed_sizes = false;
  const Sampler sampler = all_rows(source, 5);
  LoaderOptions options = small_crop();
  options.prefetch_batches = 1;
  options.cache_limit_bytes = 4 * 60 * 80 * 3 + 1;  // 4 of 10 images
  (void)take(source, sampler, options, 6);          // 3 epochs
  EXPECT_GE(source.reads, 10 + 6 + 6);
}

TEST(Loader, WorkerErrorReachesNextAndStays) {
  FakeSource source(10);
  source.failing_row = 5;
  const Sampler sampler = all_rows(source, 4);
  LoaderOptions options = small_crop();
  options.threads = 3;
  Loader loader(source, sampler, options);
  const auto read_epoch = [&] {
    for (int i = 0; i < 3; ++i) (void)loader.next();
  };
  EXPECT_THROW(read_epoch(), FormatError);
  EXPECT_THROW((void)loader.next(), FormatError);
  source.failing_row = -1;
  loader.start(0, 0);
  EXPECT_NO_THROW(read_epoch());
}

TEST(Loader, StopsQuicklyInTheMiddleOfItsWork) {
  FakeSource source(64);
  source.read_time = std::chrono::milliseconds(20);
  const Sampler sampler = all_rows(source, 64);
  LoaderOptions options = small_crop();
  options.threads = 2;
  const auto before = std::chrono::steady_clock::now();
  for (int i = 0; i < 5; ++i) {
    Loader loader(source, sampler, options);
    loader.start(0, 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    loader.start(2, 0);
  }
  // One batch takes 640 ms or more, ten batches 6.4 s; ten runs cut short must take far less.
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::milliseconds(3500));
}

TEST(Loader, StaysWithinItsPrefetch) {
  const FakeSource source(100);
  const Sampler sampler = all_rows(source, 1);
  LoaderOptions options = small_crop();
  options.prefetch_batches = 3;
  options.cache_decoded = false;
  Loader loader(source, sampler, options);
  (void)loader.next();
  for (int i = 0; i < 1000 && source.reads < 1 + 3; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_GE(source.reads, 1 + 3);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_LE(source.reads, 1 + 3 + 1);
}

TEST(Loader, MixedSizesWithoutCropAreRefused) {
  FakeSource source(10);
  LoaderOptions options;
  options.augmentation.crop = false;
  const Sampler sampler = all_rows(source, 4);
  try {
    const Loader loader(source, sampler, options);
    FAIL() << "accepted images of different sizes";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("80x60"));
    EXPECT_THAT(error.what(), testing::HasSubstr("crop_sampling"));
  }
  const Sampler one_by_one = all_rows(source, 1);
  EXPECT_NO_THROW((void)take(source, one_by_one, options, 10));
  source.mixed_sizes = false;
  EXPECT_NO_THROW((void)take(source, sampler, options, 3));
}

TEST(Loader, RejectsOptionsOutOfRange) {
  const FakeSource source(10);
  const Sampler sampler = all_rows(source, 4);
  const auto make = [&](const LoaderOptions& options) { const Loader loader(source, sampler, options); };
  LoaderOptions options = small_crop();
  options.threads = 0;
  EXPECT_THROW(make(options), ConfigError);
  options = small_crop();
  options.rank = 1;
  EXPECT_THROW(make(options), ConfigError);
  options = small_crop();
  options.prefetch_batches = 0;
  EXPECT_THROW(make(options), ConfigError);
  options = small_crop();
  options.augmentation.crop_method = "densty";
  EXPECT_THROW(make(options), ConfigError);
  Loader loader(source, sampler, small_crop());
  EXPECT_THROW(loader.start(-1, 0), ConfigError);
}

}  // namespace
}  // namespace ringpose::data
