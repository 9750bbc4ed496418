// Expected images and keypoints come from albumentations 1.4.3 and DeepLabCut 3.0.2: tests/golden/make_augmentation.py.
#include "data/augmentation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>
#include <string>
#include <vector>

#include "data/augmentation_draw.hpp"
#include "data/error.hpp"

namespace ringpose::data {
namespace {

const std::string kFolder = RINGPOSE_SOURCE_DIR "/tests/golden/augmentation/";

nlohmann::json read_json(const std::string& name) {
  std::ifstream file(kFolder + name);
  EXPECT_TRUE(file) << "cannot read " << kFolder << name;
  return nlohmann::json::parse(file);
}

/// Channels stay in the file's order: no step of the augmentation tells them apart.
Image read_image(const std::string& name) {
  const cv::Mat pixels = cv::imread(kFolder + name, cv::IMREAD_COLOR);
  EXPECT_FALSE(pixels.empty()) << "cannot read " << kFolder << name;
  return {pixels.rows, pixels.cols, 3, {pixels.datastart, pixels.dataend}};
}

std::vector<Keypoint> read_keypoints(const nlohmann::json& list) {
  std::vector<Keypoint> keypoints;
  for (const auto& entry : list) {
    keypoints.push_back(entry.is_null() ? Keypoint{} : Keypoint{entry[0].get<double>(), entry[1].get<double>()});
  }
  return keypoints;
}

AugmentationDraw identity_for(const Image& image) {
  AugmentationDraw draw;
  draw.input = draw.output = {image.height_px, image.width_px};
  return draw;
}

/// The place of the crop by albumentations' rule, written out here from its documentation: int(freedom * fraction).
void set_crop(AugmentationDraw& draw, const nlohmann::json& crop) {
  draw.crop = true;
  draw.output = {crop["height_px"].get<int>(), crop["width_px"].get<int>()};
  const int wide = std::max(draw.output.width_px, draw.input.width_px);
  const int high = std::max(draw.output.height_px, draw.input.height_px);
  draw.pad_left_px = (wide - draw.input.width_px) / 2;
  draw.pad_top_px = (high - draw.input.height_px) / 2;
  draw.crop_left_px = static_cast<int>((wide - draw.output.width_px + 1) * crop["fraction_x"].get<double>());
  draw.crop_top_px = static_cast<int>((high - draw.output.height_px + 1) * crop["fraction_y"].get<double>());
}

AugmentationDraw draw_of_case(const nlohmann::json& parameters, const Image& source) {
  AugmentationDraw draw = identity_for(source);
  if (parameters.contains("affine")) {
    const auto& affine = parameters["affine"];
    draw.affine = true;
    draw.rotation_deg = affine["rotation_deg"].get<double>();
    draw.scale = affine["scale"].get<double>();
    draw.translation_x_px = affine["translation_x_px"].get<int>();
    draw.translation_y_px = affine["translation_y_px"].get<int>();
  }
  if (parameters.contains("crop")) set_crop(draw, parameters["crop"]);
  if (parameters.contains("blur")) {
    draw.motion_blur = true;
    draw.blur_size_px = parameters["blur"]["size_px"].get<int>();
    draw.blur_line = parameters["blur"]["line"].get<std::array<int, 4>>();
  }
  return draw;
}

/// Share of bytes that differ by more than one grey level.
double share_off(const Image& a, const Image& b) {
  std::size_t off = 0;
  for (std::size_t i = 0; i < a.pixels_HWC.size(); ++i) off += std::abs(a.pixels_HWC[i] - b.pixels_HWC[i]) > 1 ? 1 : 0;
  return static_cast<double>(off) / static_cast<double>(a.pixels_HWC.size());
}

double largest_distance_px(const std::vector<Keypoint>& a, const std::vector<Keypoint>& b) {
  double largest = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (a[k].labelled() != b[k].labelled()) return 1e9;
    if (a[k].labelled()) largest = std::max(largest, std::hypot(a[k].x_px - b[k].x_px, a[k].y_px - b[k].y_px));
  }
  return largest;
}

class AugmentationGolden : public testing::Test {
 protected:
  const nlohmann::json document_ = read_json("cases.json");
  const Image source_ = read_image(document_["source"].get<std::string>());
  const std::vector<Keypoint> keypoints_ = read_keypoints(document_["keypoints"]);
};

TEST_F(AugmentationGolden, ImagesAndKeypointsEqualDeepLabCuts) {
  std::map<std::string, int> kinds;
  for (const auto& entry : document_["cases"]) {
    const auto name = entry["name"].get<std::string>();
    SCOPED_TRACE(name);
    const AugmentationDraw draw = draw_of_case(entry, source_);
    const Image expected = read_image(name + ".png");
    const Image augmented = augment(source_, draw);
    ASSERT_EQ(augmented.height_px, expected.height_px);
    ASSERT_EQ(augmented.width_px, expected.width_px);
    const double share = share_off(augmented, expected);
    EXPECT_LE(share, 0.001);
    const double distance_px = largest_distance_px(augment(keypoints_, draw), read_keypoints(entry["keypoints_after"]));
    EXPECT_LT(distance_px, 0.01);
    RecordProperty(name, std::to_string(share));
    ++kinds[entry["kind"].get<std::string>()];
    kinds["chain with blur"] += entry["kind"] == "chain" && entry.contains("blur") ? 1 : 0;
  }
  for (const auto* kind : {"affine", "crop", "blur", "chain", "chain with blur"}) EXPECT_GE(kinds[kind], 2) << kind;
}

// The tolerance above must tell right from slightly wrong.
TEST_F(AugmentationGolden, ASmallErrorIsSeen) {
  for (const auto& entry : document_["cases"]) {
    SCOPED_TRACE(entry["name"].get<std::string>());
    const Image expected = read_image(entry["name"].get<std::string>() + ".png");
    const auto expected_keypoints = read_keypoints(entry["keypoints_after"]);
    AugmentationDraw wrong = draw_of_case(entry, source_);
    if (wrong.affine) {
      wrong.rotation_deg += 0.5;
      EXPECT_GT(largest_distance_px(augment(keypoints_, wrong), expected_keypoints), 0.01);
    } else if (wrong.crop) {
      wrong.crop_left_px += 1;
    } else {
      std::swap(wrong.blur_line[0], wrong.blur_line[2]);  // the mirror image
      if (wrong.blur_line[0] == wrong.blur_line[2] || wrong.blur_line[1] == wrong.blur_line[3]) continue;
    }
    EXPECT_GT(share_off(augment(source_, wrong), expected), 0.001);
  }
}

/// Pixels of the kernel behind draw.blur_line, read off what it makes of one bright point.
std::vector<bool> kernel_pixels(const AugmentationDraw& draw) {
  Image point{15, 15, 3, std::vector<std::uint8_t>(15 * 15 * 3, 0)};
  for (std::size_t c = 0; c < 3; ++c) point.pixels_HWC[(7 * 15 + 7) * 3 + c] = 255;
  const Image blurred = augment(point, draw);
  const int half = draw.blur_size_px / 2;
  std::vector<bool> pixels;
  for (int y = half; y >= -half; --y) {  // a correlation turns the kernel by 180 degrees
    for (int x = half; x >= -half; --x) {
      pixels.push_back(blurred.pixels_HWC[static_cast<std::size_t>((7 + y) * 15 + 7 + x) * 3] > 0);
    }
  }
  return pixels;
}

TEST(Augmentation, EveryMotionBlurKernelEqualsAlbumentations) {
  const nlohmann::json kernels = read_json("kernels.json");
  AugmentationDraw draw;
  draw.input = draw.output = {15, 15};
  draw.motion_blur = true;
  for (const int size : {3, 5, 7}) {
    draw.blur_size_px = size;
    const auto& lines = kernels[std::to_string(size)];
    ASSERT_EQ(lines.size(), static_cast<std::size_t>(size * size * size * size));
    for (int i = 0; i < static_cast<int>(lines.size()); ++i) {
      draw.blur_line = {i / (size * size * size), i / (size * size) % size, i / size % size, i % size};
      const std::uint64_t bits = std::stoull(lines[static_cast<std::size_t>(i)].get<std::string>(), nullptr, 16);
      const std::vector<bool> pixels = kernel_pixels(draw);
      for (int k = 0; k < size * size; ++k) {
        ASSERT_EQ(pixels[static_cast<std::size_t>(k)], ((bits >> (size * size - 1 - k)) & 1) != 0)
            << "size " << size << ", line " << testing::PrintToString(draw.blur_line) << ", pixel " << k;
      }
    }
  }
}

TEST(Augmentation, KeypointAtTheFarEdgeIsKeptOnlyWithoutACrop) {
  AugmentationDraw draw;
  draw.input = draw.output = {100, 100};
  draw.affine = true;
  draw.translation_x_px = 10;
  const std::vector<Keypoint> edge{{90, 50}, {90.001, 50}, {89.999, 50}};
  std::vector<Keypoint> moved = augment(edge, draw);
  EXPECT_DOUBLE_EQ(moved[0].x_px, 100);
  EXPECT_FALSE(moved[1].labelled());
  EXPECT_TRUE(moved[2].labelled());
  draw.crop = true;
  moved = augment(edge, draw);
  EXPECT_FALSE(moved[0].labelled());
  EXPECT_TRUE(moved[2].labelled());
}

TEST(Augmentation, LabelOnOrOutsideTheSourceEdgeIsInvisible) {
  AugmentationDraw draw;
  draw.input = draw.output = {80, 100};
  draw.affine = true;
  draw.scale = 0.5;  // brings all of them inside
  const auto moved = augment(std::vector<Keypoint>{{0, 40}, {100, 40}, {50, 80}, {50, -1}, {0.01, 0.01}}, draw);
  for (int k = 0; k < 4; ++k) EXPECT_FALSE(moved[static_cast<std::size_t>(k)].labelled()) << "keypoint " << k;
  EXPECT_TRUE(moved[4].labelled());
}

TEST(Augmentation, ImageOfAnotherSizeThanDrawnForIsRefused) {
  const Image image{10, 12, 3, std::vector<std::uint8_t>(360)};
  AugmentationDraw draw = identity_for(image);
  EXPECT_NO_THROW((void)augment(image, draw));
  draw.input.width_px = 13;
  EXPECT_THROW((void)augment(image, draw), std::invalid_argument);
}

void expect_rejected(const std::string& field, const AugmentationOptions& options) {
  try {
    options.validate();
    ADD_FAILURE() << "accepted a wrong " << field;
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr(field));
  }
}

TEST(AugmentationOptions, ValidateNamesTheField) {
  EXPECT_NO_THROW(AugmentationOptions{}.validate());
  expect_rejected("augmentation.affine_p", {.affine_p = 1.5});
  expect_rejected("augmentation.rotation_deg", {.rotation_deg = -1});
  expect_rejected("augmentation.rotation_deg", {.rotation_deg = std::nan("")});
  expect_rejected("augmentation.scaling[0]", {.scaling = {0, 1}});
  expect_rejected("augmentation.scaling[1]", {.scaling = {1.25, 0.5}});
  expect_rejected("augmentation.translation_px", {.translation_px = 2.5});
  expect_rejected("augmentation.crop_width_px", {.crop_width_px = 15});
  EXPECT_NO_THROW((AugmentationOptions{.crop_width_px = 16, .crop_height_px = 8192}.validate()));
  expect_rejected("augmentation.crop_width_px", {.crop_width_px = 1000000});
  expect_rejected("augmentation.crop_height_px", {.crop_height_px = -448});
  expect_rejected("augmentation.crop_max_shift", {.crop_max_shift = -0.1});
  expect_rejected("augmentation.crop_method", {.crop_method = "densty"});
  expect_rejected("augmentation.motion_blur_p", {.motion_blur_p = -0.1});
  expect_rejected("augmentation.gaussian_noise ", {.gaussian_noise = -1});
  expect_rejected("augmentation.gaussian_noise_p", {.gaussian_noise_p = 2});
}

}  // namespace
}  // namespace ringpose::data
