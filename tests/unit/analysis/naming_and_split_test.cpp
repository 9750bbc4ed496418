#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/prediction_merge.hpp"
#include "analysis/scorer_name.hpp"
#include "analysis/video_splitter.hpp"
#include "data/error.hpp"

namespace ringpose::analysis {
namespace {

data::ProjectFacts open_field() {
  data::ProjectFacts facts;
  facts.task = "openfield";
  facts.date = "Oct30";
  return facts;
}

// As DeepLabCut 3.0.2 named its own files for this project.
TEST(ScorerName, FollowsDeepLabCut) {
  EXPECT_EQ(scorer_name("resnet_50", open_field(), snapshot_uid(120, true)),
            "DLC_Resnet50_openfieldOct30shuffle1_snapshot_best-120");
  EXPECT_EQ(scorer_name("resnet_50", open_field(), snapshot_uid(1, false)),
            "DLC_Resnet50_openfieldOct30shuffle1_snapshot_1");
  EXPECT_EQ(scorer_name("hrnet_w32", open_field(), "90"), "DLC_HrnetW32_openfieldOct30shuffle1_snapshot_90");
}

TEST(ScorerName, OutputsLieBesideTheVideoOrInTheFolder) {
  EXPECT_EQ(output_path("videos/m3v1.mp4", "", "DLC_x", ".h5"), "videos/m3v1DLC_x.h5");
  EXPECT_EQ(output_path("videos/m3.v1.mp4", "out", "DLC_x", ".csv"), "out/m3.v1DLC_x.csv");
  EXPECT_EQ(labelled_ending(0.6), "_p60_labeled.mp4");
  EXPECT_EQ(labelled_ending(0.29), "_p28_labeled.mp4");  // Python: int(100 * 0.29) == 28
}

TEST(FrameRange, CoversEveryFrameOnceAtMultiplesOfTheBatch) {
  for (const std::int64_t frames : {0, 1, 7, 8, 9, 2330})
    for (const int ranks : {1, 2, 3, 7, 64}) {
      std::int64_t next = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        const FrameRange range = frame_range(frames, 8, rank, ranks);
        ASSERT_EQ(range.first, next);
        ASSERT_TRUE(range.first % 8 == 0 || range.first == frames);
        ASSERT_LE(range.end - range.first, (frames / 8 / ranks + 2) * 8);
        next = range.end;
      }
      EXPECT_EQ(next, frames);
    }
}

TEST(PredictionMerge, JoinsInOrderAndRefusesGaps) {
  const RangeValues first{{0, 2}, {1, 2, 3, 4, 5, 6}}, second{{2, 3}, {7, 8, 9}}, none{{3, 3}, {}};
  EXPECT_THAT(merge_ranges({first, second, none}, 3, 1), testing::ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9));
  EXPECT_THROW(static_cast<void>(merge_ranges({second}, 3, 1)), data::FormatError);
  EXPECT_THROW(static_cast<void>(merge_ranges({first}, 3, 1)), data::FormatError);
  EXPECT_THROW(static_cast<void>(merge_ranges({first, first}, 3, 1)), data::FormatError);
  EXPECT_THROW(static_cast<void>(merge_ranges({first, {{2, 3}, {7, 8}}}, 3, 1)), data::FormatError);
}

}  // namespace
}  // namespace ringpose::analysis
