#include "trainer/snapshots.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temporary_folder.hpp"

namespace ringpose::trainer {
namespace {

TEST(Snapshots, NamesRoundTripAndFollowDeepLabCut) {
  EXPECT_EQ(file_name({25, 0, false}), "snapshot-025.safetensors");
  EXPECT_EQ(file_name({40, 0, true}), "snapshot-best-040.safetensors");
  EXPECT_EQ(file_name({3, 7, false}), "snapshot-003-step-0007.safetensors");
  EXPECT_EQ(file_name({12345, 0, false}), "snapshot-12345.safetensors");
  for (const SnapshotName name : {SnapshotName{25, 0, false}, {40, 0, true}, {3, 7, false}, {12345, 0, false}})
    EXPECT_EQ(parse_snapshot_name(file_name(name)), name);
  for (const char* other :
       {"snapshot-25.safetensors", ".snapshot-025.safetensors.12.tmp", "snapshot-025.pt", "snapshot-0025.safetensors"})
    EXPECT_FALSE(parse_snapshot_name(other)) << other;
}

TEST(Snapshots, LatestIsByUpdatesAndNeverABestOne) {
  const tests::TemporaryFolder folder;
  EXPECT_FALSE(latest_checkpoint(folder.path()));
  EXPECT_FALSE(latest_checkpoint(folder / "missing"));
  for (const char* name :
       {"snapshot-099.safetensors", "snapshot-1000.safetensors", "snapshot-1000-step-0002.safetensors",
        "snapshot-best-2000.safetensors", "snapshot-3000.safetensors.tmp"})
    std::ofstream(folder / name) << "x";
  EXPECT_EQ(latest_checkpoint(folder.path())->filename(), "snapshot-1000-step-0002.safetensors");
  EXPECT_EQ(best_checkpoint(folder.path())->filename(), "snapshot-best-2000.safetensors");
}

TEST(Snapshots, SurplusLeavesTheNewestAndOneBest) {
  const std::vector<SnapshotName> present{{25, 0, false}, {10, 0, true}, {50, 0, false}, {75, 0, false}, {60, 0, true}};
  const std::vector<SnapshotName> expected{{25, 0, false}, {10, 0, true}};
  EXPECT_EQ(surplus_snapshots(present, 2), expected);
  EXPECT_TRUE(surplus_snapshots({{25, 0, false}}, 5).empty());
}

}  // namespace
}  // namespace ringpose::trainer
