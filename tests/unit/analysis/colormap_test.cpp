#include "analysis/colormap.hpp"

#include <gtest/gtest.h>

#include "data/error.hpp"

namespace ringpose::analysis {
namespace {

struct ColormapCase {
  const char* name;
  std::vector<Color> colors;
};

// matplotlib 3.11.2: (ScalarMappable(cmap=name).to_rgba(linspace(0, 1, K))[:, :3] * 255).astype(uint8), as DeepLabCut
// does.
const std::vector<ColormapCase>& matplotlib() {
  static const std::vector<ColormapCase> cases = {
      {"rainbow", {{127, 0, 255}}},
      {"rainbow", {{127, 0, 255}, {42, 220, 220}, {212, 220, 127}, {255, 0, 0}}},
      {"rainbow", {{127, 0, 255}, {0, 180, 235}, {128, 254, 179}, {255, 178, 96}, {255, 0, 0}}},
      {"rainbow",
       {{127, 0, 255},
        {55, 109, 248},
        {18, 199, 229},
        {90, 248, 199},
        {164, 248, 158},
        {236, 199, 110},
        {255, 109, 56},
        {255, 0, 0}}},
      {"jet", {{0, 0, 127}}},
      {"jet", {{0, 0, 127}, {0, 212, 255}, {255, 229, 0}, {127, 0, 0}}},
      {"jet", {{0, 0, 127}, {0, 128, 255}, {124, 255, 121}, {255, 148, 0}, {127, 0, 0}}},
      {"jet",
       {{0, 0, 127},
        {0, 16, 255},
        {0, 164, 255},
        {63, 255, 183},
        {183, 255, 63},
        {255, 185, 0},
        {255, 48, 0},
        {127, 0, 0}}},
      {"viridis", {{68, 1, 84}}},
      {"viridis", {{68, 1, 84}, {48, 103, 141}, {53, 183, 120}, {253, 231, 36}}},
      {"viridis", {{68, 1, 84}, {58, 82, 139}, {32, 144, 140}, {94, 201, 97}, {253, 231, 36}}},
      {"viridis",
       {{68, 1, 84},
        {70, 49, 126},
        {54, 91, 140},
        {39, 126, 142},
        {31, 161, 135},
        {73, 193, 109},
        {159, 217, 56},
        {253, 231, 36}}},
      {"plasma", {{12, 7, 134}}},
      {"plasma", {{12, 7, 134}, {155, 23, 158}, {236, 120, 83}, {239, 248, 33}}},
      {"plasma", {{12, 7, 134}, {126, 3, 167}, {203, 71, 119}, {248, 149, 64}, {239, 248, 33}}},
      {"plasma",
       {{12, 7, 134},
        {82, 1, 163},
        {139, 9, 164},
        {184, 50, 137},
        {219, 91, 103},
        {243, 135, 72},
        {253, 188, 42},
        {239, 248, 33}}},
      {"hsv", {{255, 0, 0}}},
      {"hsv", {{255, 0, 0}, {7, 255, 0}, {0, 15, 255}, {255, 0, 23}}},
      {"hsv", {{255, 0, 0}, {131, 255, 0}, {0, 255, 245}, {113, 0, 255}, {255, 0, 23}}},
      {"hsv",
       {{255, 0, 0},
        {255, 212, 0},
        {78, 255, 0},
        {0, 255, 133},
        {0, 157, 255},
        {54, 0, 255},
        {255, 0, 236},
        {255, 0, 23}}},
      {"cool", {{0, 255, 255}}},
      {"cool", {{0, 255, 255}, {85, 170, 255}, {170, 85, 255}, {255, 0, 255}}},
      {"cool", {{0, 255, 255}, {64, 191, 255}, {128, 127, 255}, {192, 63, 255}, {255, 0, 255}}},
      {"cool",
       {{0, 255, 255},
        {36, 219, 255},
        {73, 182, 255},
        {109, 146, 255},
        {146, 109, 255},
        {182, 73, 255},
        {219, 36, 255},
        {255, 0, 255}}},
  };
  return cases;
}

TEST(Colormap, EqualsMatplotlib) {
  for (const auto& [name, colors] : matplotlib())
    EXPECT_EQ(bodypart_colors(name, colors.size()), colors) << name << " for " << colors.size() << " bodyparts";
}

TEST(Colormap, ReversedMapRunsBackwards) {
  EXPECT_EQ(bodypart_colors("viridis_r", 2), (std::vector<Color>{{253, 231, 36}, {68, 1, 84}}));
}

TEST(Colormap, UnknownNamesAreRefused) {
  EXPECT_THROW(static_cast<void>(bodypart_colors("raindow", 3)), data::ConfigError);
  EXPECT_THROW(static_cast<void>(named_color("#12345")), data::ConfigError);
  EXPECT_THROW(static_cast<void>(named_color("blakc")), data::ConfigError);
}

TEST(Colormap, NamedColors) {
  EXPECT_EQ(named_color("black"), (Color{0, 0, 0}));
  EXPECT_EQ(named_color("w"), (Color{255, 255, 255}));
  EXPECT_EQ(named_color("#0aFf10"), (Color{10, 255, 16}));
}

}  // namespace
}  // namespace ringpose::analysis
