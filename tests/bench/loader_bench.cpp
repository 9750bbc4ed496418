// Images per second of processor time, over all threads, of augmentation and loader, printed as JSON:
// loader_bench [seconds per measurement] [loader threads]
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <nlohmann/json.hpp>
#include <numeric>
#include <opencv2/core/utility.hpp>
#include <opencv2/imgcodecs.hpp>
#include <string>

#include "data/augmentation_draw.hpp"
#include "data/gaussian_noise.hpp"
#include "data/loader.hpp"

namespace {

using namespace ringpose::data;

constexpr ImageSize kSource{480, 640};
constexpr int kFrames = 32;

/// A soft texture with sensor noise: compresses about as camera frames do.
Image make_frame(std::uint64_t seed) {
  Image frame{kSource.height_px, kSource.width_px, 3, {}};
  for (int y = 0; y < kSource.height_px; ++y) {
    for (int x = 0; x < kSource.width_px * 3; ++x) {
      frame.pixels_HWC.push_back(static_cast<std::uint8_t>(100 + (x / 8 + y / 5 + static_cast<int>(seed) * 9) % 100));
    }
  }
  add_gaussian_noise(frame.pixels_HWC, 9, seed);
  return frame;
}

std::vector<Keypoint> some_keypoints() {
  return {{100, 120}, {330, 240}, {340, 260}, {500, 400}};
}

/// Frames held as PNG bytes: a read is a decode.
class PngSource : public SampleSource {
 public:
  PngSource() {
    for (std::uint64_t seed = 0; seed < kFrames; ++seed) {
      Image frame = make_frame(seed);
      cv::imencode(".png", cv::Mat(frame.height_px, frame.width_px, CV_8UC3, frame.pixels_HWC.data()),
                   encoded_.emplace_back());
    }
  }
  [[nodiscard]] std::int64_t size() const override { return kFrames; }
  [[nodiscard]] int height_px(std::int64_t) const override { return kSource.height_px; }
  [[nodiscard]] int width_px(std::int64_t) const override { return kSource.width_px; }
  [[nodiscard]] std::vector<Keypoint> keypoints(std::int64_t) const override { return some_keypoints(); }
  [[nodiscard]] Sample read_sample(std::int64_t row) const override {
    const cv::Mat pixels = cv::imdecode(encoded_[static_cast<std::size_t>(row)], cv::IMREAD_COLOR);
    return {{pixels.rows, pixels.cols, 3, {pixels.datastart, pixels.dataend}}, some_keypoints()};
  }

 private:
  std::vector<std::vector<std::uint8_t>> encoded_;
};

double processor_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// Calls `step`, which handles some images and returns how many, until `seconds` of processor time are used.
template <typename Step>
double images_per_core_second(double seconds, Step step) {
  step();  // warm
  const double start = processor_seconds();
  std::int64_t images = 0;
  while (processor_seconds() - start < seconds) images += step();
  return static_cast<double>(images) / (processor_seconds() - start);
}

AugmentationOptions only(bool affine, bool blur, bool noise) {
  AugmentationOptions options;
  options.affine = affine;
  options.affine_p = 1;
  options.motion_blur = blur;
  options.motion_blur_p = 1;
  options.gaussian_noise = noise ? 12.75 : 0;
  options.gaussian_noise_p = 1;
  return options;
}

double augmentation_rate(double seconds, const AugmentationOptions& options) {
  const Image frame = make_frame(1);
  std::vector<std::uint8_t> pixels(448 * 448 * 3);
  std::uint64_t position = 0;
  return images_per_core_second(seconds, [&] {
    Random random({1, 1, position++});
    augment_into(frame, draw_augmentation(options, kSource, some_keypoints(), random), pixels);
    return 1;
  });
}

double loader_rate(double seconds, int threads, bool cache_decoded) {
  const PngSource source;
  std::vector<std::int64_t> rows(kFrames);
  std::iota(rows.begin(), rows.end(), 0);
  const Sampler sampler(rows, 8, 1);
  LoaderOptions options;
  options.threads = threads;
  options.cache_decoded = cache_decoded;
  Loader loader(source, sampler, options);
  for (int i = 0; i < kFrames / 8; ++i) (void)loader.next();  // fills the cache
  return images_per_core_second(seconds, [&] { return loader.next().real_rows; });
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 1.0;
  const int threads = argc > 2 ? std::atoi(argv[2]) : 1;
  cv::setNumThreads(1);
  const nlohmann::ordered_json report{
      {"source", "640x480"},
      {"crop", "448x448"},
      {"threads", threads},
      {"augment_defaults_images_per_core_s", augmentation_rate(seconds, {})},
      {"augment_crop_only_images_per_core_s", augmentation_rate(seconds, only(false, false, false))},
      {"augment_affine_images_per_core_s", augmentation_rate(seconds, only(true, false, false))},
      {"augment_blur_images_per_core_s", augmentation_rate(seconds, only(false, true, false))},
      {"augment_noise_images_per_core_s", augmentation_rate(seconds, only(false, false, true))},
      {"loader_cached_images_per_core_s", loader_rate(seconds, threads, true)},
      {"loader_png_images_per_core_s", loader_rate(seconds, threads, false)},
  };
  std::printf("%s\n", report.dump(2).c_str());
  return 0;
}
