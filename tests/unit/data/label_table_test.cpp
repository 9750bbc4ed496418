#include "data/label_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "data/error.hpp"
#include "tests/support/small_project.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/test_data.hpp"

namespace ringpose::data {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr char kHeader[] = "scorer,,,Ada,Ada,Ada,Ada\nbodyparts,,,nose,nose,tail,tail\ncoords,,,x,y,x,y\n";
constexpr char kOneRow[] = "labeled-data,a,img1.png,1.5,2.5,,\n";

class LabelTableFile : public testing::Test {
 protected:
  LabelTable read(const std::string& text) const {
    tests::write_text(file(), text);
    return read_label_table(file());
  }
  void refuses(const std::string& text, const testing::Matcher<std::string>& message) const {
    EXPECT_THAT([&] { static_cast<void>(read(text)); },
                ThrowsMessage<ProjectError>(AllOf(HasSubstr(file().string()), message)))
        << text;
  }
  [[nodiscard]] fs::path file() const { return folder_ / "CollectedData_Ada.csv"; }

 private:
  tests::TemporaryFolder folder_;
};

TEST_F(LabelTableFile, ReadsThreeIndexColumns) {
  const LabelTable table = read(std::string(kHeader) + kOneRow);
  EXPECT_EQ(table.scorer, "Ada");
  EXPECT_THAT(table.bodyparts, ElementsAre("nose", "tail"));
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(table.rows[0].folder, "a");
  EXPECT_EQ(table.rows[0].image_name, "img1.png");
  EXPECT_EQ(table.rows[0].source, file().string() + ", line 4");
  EXPECT_EQ(table.rows[0].keypoints[0].x_px, 1.5);
  EXPECT_EQ(table.rows[0].keypoints[0].y_px, 2.5);
  EXPECT_FALSE(table.rows[0].keypoints[1].labelled());
}

TEST_F(LabelTableFile, ReadsOneIndexColumnWithEitherSlash) {
  const std::string header = "scorer,Ada,Ada\nbodyparts,nose,nose\ncoords,x,y\n";
  const LabelTable table = read(header + "labeled-data/a/img1.png,1,2\nlabeled-data\\b\\img2.png,3,4\n");
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(table.rows[0].folder + "|" + table.rows[0].image_name, "a|img1.png");
  EXPECT_EQ(table.rows[1].folder + "|" + table.rows[1].image_name, "b|img2.png");
}

TEST_F(LabelTableFile, ReadsWhatSpreadsheetsAndOldToolsLeave) {
  const LabelTable table = read(
      "\xEF\xBB\xBFscorer,,,\"Ada, B.\",\"Ada, B.\",\"Ada, "
      "B.\"\r\nbodyparts,,,nose,nose,nose\r\ncoords,,,y,x,likelihood\r\n"
      "labeled-data,a,img1.png,2e1,1e-3,0.9\r\n,,,,,\r\n\r\n");
  EXPECT_EQ(table.scorer, "Ada, B.");
  EXPECT_THAT(table.bodyparts, ElementsAre("nose"));
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(table.rows[0].keypoints[0].x_px, 0.001);
  EXPECT_EQ(table.rows[0].keypoints[0].y_px, 20.0);
}

TEST_F(LabelTableFile, RefusesWrongHeaders) {
  refuses("", HasSubstr("no label header"));
  refuses("a,b\nc,d\ne,f\n", AllOf(HasSubstr("line 1"), HasSubstr("'scorer'")));
  refuses("scorer,,,Ada,Ada\nindividuals,,,m1,m1\nbodyparts,,,nose,nose\ncoords,,,x,y\n", HasSubstr("multi-animal"));
  refuses("scorer,,,Ada,Bob\nbodyparts,,,nose,nose\ncoords,,,x,y\n", AllOf(HasSubstr("'Ada'"), HasSubstr("'Bob'")));
  refuses("scorer,,,Ada,Ada\nbodyparts,,,nose,nose\ncoords,,,x,z\n", HasSubstr("'z'"));
  refuses("scorer,,,Ada\nbodyparts,,,nose\ncoords,,,x\n", AllOf(HasSubstr("'nose'"), HasSubstr("lacks")));
  refuses("scorer,,,Ada,Ada,Ada,Ada\nbodyparts,,,nose,nose,nose,nose\ncoords,,,x,y,x,y\n", HasSubstr("two x columns"));
  refuses("scorer,,,Ada,Ada\nbodyparts,,,nose\ncoords,,,x,y\n",
          AllOf(HasSubstr("line 2"), HasSubstr("number of columns")));
}

TEST_F(LabelTableFile, RefusesWrongRows) {
  const std::string header = kHeader;
  refuses(header + "labeled-data,a,img1.png,1,2,3\n",
          AllOf(HasSubstr("line 4"), HasSubstr("6 columns"), HasSubstr("7")));
  refuses(header + "labeled-data,a,img1.png,1,2,x,4\n",
          AllOf(HasSubstr("line 4"), HasSubstr("column 6"), HasSubstr("'x'")));
  refuses(header + "labeled-data,a,img1.png,1,2,inf,4\n", HasSubstr("'inf'"));
  refuses(header + "labeled-data,a,img1.png,1,2,3,\n", AllOf(HasSubstr("'tail'"), HasSubstr("only one of x and y")));
  refuses(header + "images,a,img1.png,1,2,,\n", HasSubstr("'images/a/img1.png'"));
  refuses(header + "labeled-data,..,img1.png,1,2,,\n", HasSubstr("expected labeled-data/"));
  refuses(header + kOneRow + "labeled-data,a,img2.png,,,,\n" + kOneRow,
          AllOf(HasSubstr("a/img1.png is labelled twice"), HasSubstr("line 4"), HasSubstr("line 6")));
}

TEST_F(LabelTableFile, TellsAMissingFile) {
  EXPECT_THAT([&] { static_cast<void>(read_label_table(file())); },
              ThrowsMessage<IoError>(AllOf(HasSubstr(file().string()), HasSubstr("No such file"))));
}

TEST_F(LabelTableFile, ReordersBodyparts) {
  const LabelTable table = reorder_bodyparts(read(std::string(kHeader) + kOneRow), {"tail", "nose"}, file());
  EXPECT_THAT(table.bodyparts, ElementsAre("tail", "nose"));
  EXPECT_FALSE(table.rows[0].keypoints[0].labelled());
  EXPECT_EQ(table.rows[0].keypoints[1].x_px, 1.5);
}

TEST_F(LabelTableFile, RefusesOtherBodyparts) {
  const LabelTable table = read(std::string(kHeader) + kOneRow);
  EXPECT_THAT([&] { static_cast<void>(reorder_bodyparts(table, {"nose"}, file())); },
              ThrowsMessage<ProjectError>(AllOf(HasSubstr("'tail'"), HasSubstr("does not list"))));
  EXPECT_THAT(
      [&] {
        static_cast<void>(reorder_bodyparts(table, {"nose", "tail", "ear"}, file()));
      },
      ThrowsMessage<ProjectError>(AllOf(HasSubstr("'ear'"), HasSubstr("no column"))));
}

TEST(LabelTableOpenField, BothIndexFormsGiveTheSameBits) {
  const fs::path one_column = tests::open_field_project() / "labeled-data" / "m4s1" / "CollectedData_Pranav.csv";
  const fs::path three_columns = tests::dlc_written_folder() / "CollectedData_Pranav.csv";
  if (!fs::exists(one_column) || !fs::exists(three_columns))
    GTEST_SKIP() << "no open-field data in " << tests::test_data_folder();
  const LabelTable a = read_label_table(one_column);
  const LabelTable b = read_label_table(three_columns);
  ASSERT_EQ(a.rows.size(), 116U);
  ASSERT_EQ(b.rows.size(), 116U);
  EXPECT_THAT(a.bodyparts, ElementsAre("snout", "leftear", "rightear", "tailbase"));
  EXPECT_EQ(a.rows[0].keypoints[2].y_px, 250.05599999999998);  // as Python reads the text
  for (std::size_t i = 0; i < 116; ++i) {
    EXPECT_EQ(a.rows[i].image_name, b.rows[i].image_name);
    for (std::size_t part = 0; part < 4; ++part) {
      EXPECT_EQ(a.rows[i].keypoints[part].x_px, b.rows[i].keypoints[part].x_px) << i << " " << part;
      EXPECT_EQ(a.rows[i].keypoints[part].y_px, b.rows[i].keypoints[part].y_px) << i << " " << part;
    }
  }
}

}  // namespace
}  // namespace ringpose::data
