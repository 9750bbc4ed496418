#include "data/collected_data_writer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <iterator>
#include <limits>

#include "data/error.hpp"
#include "tests/support/process.hpp"
#include "tests/support/small_mount.hpp"
#include "tests/support/small_project.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ringpose::data {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// Awkward numbers, missing labels, a bodypart never labelled, names that sort differently from their order.
LabelTable awkward_table() {
  const Keypoint none;
  return {"Ada",
          {"nose", "ear", "tail"},
          {{"vid10", "img2.png", {{0.1, 1.0 / 3.0}, none, {300.0, 20.0}}, ""},
           {"vid10", "img10.png", {{123456789.123, 5e-324}, none, none}, ""},
           {"vid9", "img2.png", {none, none, {23.058000000000003, 250.05599999999998}}, ""}}};
}

TEST(CollectedDataWriter, CsvIsAsPandasWritesIt) {
  const tests::TemporaryFolder folder;
  write_collected_data(folder.path(), awkward_table());
  EXPECT_EQ(tests::read_text(folder / "CollectedData_Ada.csv"),
            "scorer,,,Ada,Ada,Ada,Ada,Ada,Ada\n"
            "bodyparts,,,nose,nose,ear,ear,tail,tail\n"
            "coords,,,x,y,x,y,x,y\n"
            "labeled-data,vid10,img2.png,0.1,0.3333333333333333,,,300.0,20.0\n"
            "labeled-data,vid10,img10.png,123456789.123,5e-324,,,,\n"
            "labeled-data,vid9,img2.png,,,,,23.058000000000003,250.05599999999998\n");
}

TEST(CollectedDataWriter, CsvReadsBackToTheSameBits) {
  const tests::TemporaryFolder folder;
  const LabelTable written = awkward_table();
  write_collected_data(folder.path(), written);
  const LabelTable read = read_label_table(folder / "CollectedData_Ada.csv");
  ASSERT_EQ(read.rows.size(), written.rows.size());
  EXPECT_EQ(read.bodyparts, written.bodyparts);
  for (std::size_t i = 0; i < read.rows.size(); ++i)
    for (std::size_t part = 0; part < read.bodyparts.size(); ++part) {
      const Keypoint a = read.rows[i].keypoints[part];
      const Keypoint b = written.rows[i].keypoints[part];
      EXPECT_EQ(a.labelled(), b.labelled());
      if (b.labelled()) {
        EXPECT_EQ(a.x_px, b.x_px);
        EXPECT_EQ(a.y_px, b.y_px);
      }
    }
}

constexpr char kPandasCheck[] = R"(
import sys
try:
    import pandas, tables
except ImportError as error:
    print('skipped:', error); sys.exit(77)
stem = sys.argv[1]
h5 = pandas.read_hdf(stem + '.h5')
csv = pandas.read_csv(stem + '.csv', header=[0, 1, 2], index_col=[0, 1, 2], float_precision='round_trip')
pandas.testing.assert_frame_equal(h5, csv, check_exact=True, check_names=False)
assert list(h5.columns.names) == ['scorer', 'bodyparts', 'coords'], h5.columns.names
assert list(h5.index.names) == [None, None, None], h5.index.names
assert (h5.dtypes == 'float64').all(), h5.dtypes
assert h5.shape == (3, 6) and int(h5.isna().sum().sum()) == 10, h5
assert list(h5.index) == [('labeled-data', 'vid10', 'img2.png'), ('labeled-data', 'vid10', 'img10.png'), ('labeled-data', 'vid9', 'img2.png')], h5.index
assert h5.loc[('labeled-data', 'vid9', 'img2.png'), ('Ada', 'tail', 'y')] == 250.05599999999998
again = stem + '_pandas.h5'
h5.to_hdf(again, key='df_with_missing', mode='w')
pandas.testing.assert_frame_equal(pandas.read_hdf(again), h5)
print('equal')
)";

TEST(CollectedDataWriter, PandasReadsTheSameFromBothFiles) {
  const tests::TemporaryFolder folder;
  write_collected_data(folder.path(), awkward_table());
  tests::write_text(folder / "check.py", kPandasCheck);
  const char* python = std::getenv("RINGPOSE_DLC_PYTHON");
  const auto result =
      tests::run_process(std::string(python != nullptr ? python : "python3") + " -W ignore '" +
                         (folder / "check.py").string() + "' '" + (folder / "CollectedData_Ada").string() + "'");
  if (result.exit_code == 77 || result.exit_code == 127)
    GTEST_SKIP() << "no Python with pandas and tables: " << result.output;
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("equal"));
}

TEST(CollectedDataWriter, RefusesTablesThatCannotBeWritten) {
  const tests::TemporaryFolder folder;
  const auto refuses = [&](auto change, const char* message) {
    LabelTable table = awkward_table();
    change(table);
    EXPECT_THAT([&] { write_collected_data(folder.path(), table); }, ThrowsMessage<ConfigError>(HasSubstr(message)));
  };
  refuses([](LabelTable& table) { table.rows.clear(); }, "no row");
  refuses([](LabelTable& table) { table.rows[1].keypoints.pop_back(); }, "2 positions for 3 bodyparts");
  refuses([](LabelTable& table) { table.bodyparts[0] = "a,b"; }, "'a,b'");
  refuses([](LabelTable& table) { table.rows[0].image_name = ""; }, "image ''");
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(CollectedDataWriter, LeavesNothingOnAFullDisk) {
  const tests::TemporaryFolder folder;
  const tests::SmallMount disk(folder.path(), tests::SmallMount::Kind::kFull);
  if (!disk.mounted()) GTEST_SKIP() << "mounting a small tmpfs is not permitted here";
  LabelTable table = awkward_table();
  for (int i = 0; i < 5000; ++i)
    table.rows.push_back({"vid11", "img" + std::to_string(i) + ".png", table.rows[0].keypoints, ""});
  EXPECT_THAT([&] { write_collected_data(folder.path(), table); },
              ThrowsMessage<IoError>(AllOf(HasSubstr("CollectedData_Ada"), HasSubstr("No space left"))));
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

}  // namespace
}  // namespace ringpose::data
