#include "data/dlc_project.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
using testing::IsEmpty;
using testing::ThrowsMessage;

class DlcProjectFolder : public testing::Test {
 protected:
  void change_config(const std::string& from, const std::string& to) const {
    ASSERT_TRUE(tests::replace_in_file(project_ / "config.yaml", from, to)) << from;
  }
  void refuses(const testing::Matcher<std::string>& message) const {
    EXPECT_THAT([&] { static_cast<void>(read_project_labels(read_dlc_project(project_))); },
                ThrowsMessage<ProjectError>(message));
  }
  tests::TemporaryFolder folder_;
  fs::path project_ = tests::write_small_project(folder_.path());
};

TEST_F(DlcProjectFolder, ReadsTheConfiguration) {
  for (const fs::path& given : {project_, project_ / "config.yaml"}) {
    const DlcProject project = read_dlc_project(given);
    EXPECT_EQ(project.folder, project_);
    EXPECT_EQ(project.facts.task, "reach");
    EXPECT_EQ(project.facts.scorer, "Ada");
    EXPECT_EQ(project.facts.date, "May6");
    EXPECT_THAT(project.facts.skeleton.bodyparts, ElementsAre("nose", "tail"));
    EXPECT_THAT(project.facts.skeleton.links, ElementsAre(std::array<int, 2>{0, 1}));
    EXPECT_EQ(project.facts.pcutoff, 0.35);
    EXPECT_EQ(project.facts.dotsize, 5);
    EXPECT_EQ(project.facts.alphavalue, 0.25);
    EXPECT_EQ(project.facts.colormap, "viridis");
    EXPECT_EQ(project.facts.skeleton_color, "white");
    EXPECT_EQ(project.facts.train_fraction, 0.5);
    EXPECT_EQ(project.facts.iteration, 3);
    EXPECT_THAT(project.train_fractions, ElementsAre(0.5, 0.95));
    EXPECT_THAT(project.video_names, ElementsAre("a", "b"));
  }
}

TEST_F(DlcProjectFolder, MergesLabelsInDeepLabCutsOrder) {
  const ProjectLabels labels = read_project_labels(read_dlc_project(project_));
  std::vector<std::string> names;
  for (const LabelRow& row : labels.table.rows) names.push_back(row.folder + "/" + row.image_name);
  EXPECT_THAT(names, ElementsAre("a/img1.png", "a/img2.png", "b/img10.png", "b/img9.png"));  // as texts: 10 before 9
  EXPECT_EQ(labels.table.rows[1].keypoints[0].x_px, 20.125);  // nose first, though the file has tail first
  EXPECT_FALSE(labels.table.rows[3].keypoints[1].labelled());
  EXPECT_THAT(labels.notes, IsEmpty());
}

TEST_F(DlcProjectFolder, NotesVideosThatDeepLabCutWouldLeaveOut) {
  change_config("C:\\videos\\b.avi", "/videos/c.avi");
  const ProjectLabels labels = read_project_labels(read_dlc_project(project_));
  EXPECT_EQ(labels.table.rows.size(), 4U);
  EXPECT_THAT(labels.notes, ElementsAre(AllOf(HasSubstr("labeled-data/b"), HasSubstr("video_sets"))));
}

TEST_F(DlcProjectFolder, IgnoresFoldersWithoutLabels) {
  fs::create_directories(project_ / "labeled-data" / "a_labeled");
  tests::write_text(project_ / "labeled-data" / "notes.txt", "not a folder");
  EXPECT_EQ(read_project_labels(read_dlc_project(project_)).files.size(), 2U);
}

TEST_F(DlcProjectFolder, TellsAMissingConfiguration) {
  EXPECT_THAT([&] { static_cast<void>(read_dlc_project(folder_.path())); },
              ThrowsMessage<IoError>(AllOf(HasSubstr("config.yaml"), HasSubstr("No such file"))));
}

TEST_F(DlcProjectFolder, RefusesBadYaml) {
  change_config("Task: reach", "Task: [reach");
  refuses(AllOf(HasSubstr("config.yaml"), HasSubstr("not valid YAML")));
}

TEST_F(DlcProjectFolder, RefusesMultiAnimalProjects) {
  change_config("multianimalproject: false", "multianimalproject: true");
  refuses(AllOf(HasSubstr("config.yaml"), HasSubstr("multi-animal")));
}

TEST_F(DlcProjectFolder, RefusesMissingAndWrongKeys) {
  change_config("scorer: Ada\n", "");
  refuses(HasSubstr("lacks the key 'scorer'"));
  change_config("Task: reach\n", "Task: reach\nscorer: Ada\n");
  change_config("pcutoff: 0.35", "pcutoff: high");
  refuses(AllOf(HasSubstr("'high'"), HasSubstr("'pcutoff'")));
}

TEST_F(DlcProjectFolder, RefusesBadTrainingFractions) {
  change_config("- 0.95\n", "- 95\n");
  refuses(AllOf(HasSubstr("TrainingFraction"), HasSubstr("95")));
}

TEST_F(DlcProjectFolder, RefusesASkeletonOfUnknownBodyparts) {
  change_config("  - tail\nskeleton_color", "  - wing\nskeleton_color");
  refuses(AllOf(HasSubstr("skeleton"), HasSubstr("'wing'"), HasSubstr("no bodypart")));
}

TEST_F(DlcProjectFolder, RefusesRepeatedOrNoBodyparts) {
  change_config("- nose\n- tail\n", "- nose\n- nose\n");
  refuses(AllOf(HasSubstr("'nose'"), HasSubstr("twice")));
  change_config("bodyparts:\n- nose\n- nose\n", "bodyparts: []\n");
  refuses(HasSubstr("no bodyparts"));
}

TEST_F(DlcProjectFolder, RefusesABodypartTheLabelsDoNotHave) {
  change_config("- nose\n- tail\n", "- nose\n- tail\n- ear\n");
  refuses(AllOf(HasSubstr("CollectedData_Ada.csv"), HasSubstr("'ear'")));
}

TEST_F(DlcProjectFolder, RefusesABodypartTheConfigurationDoesNotHave) {
  ASSERT_TRUE(
      tests::replace_in_file(project_ / "labeled-data" / "b" / "CollectedData_Ada.csv", "tail,tail", "fin,fin"));
  refuses(AllOf(HasSubstr("b/CollectedData_Ada.csv"), HasSubstr("'tail'")));
}

TEST_F(DlcProjectFolder, RefusesAnotherScorersFile) {
  fs::rename(project_ / "labeled-data" / "b" / "CollectedData_Ada.csv",
             project_ / "labeled-data" / "b" / "CollectedData_Bob.csv");
  refuses(AllOf(HasSubstr("'Bob'"), HasSubstr("'Ada'"), HasSubstr("CollectedData_Bob.csv")));
}

TEST_F(DlcProjectFolder, RefusesAnotherScorerInsideTheFile) {
  ASSERT_TRUE(tests::replace_in_file(project_ / "labeled-data" / "b" / "CollectedData_Ada.csv",
                                     "scorer,,,Ada,Ada,Ada,Ada", "scorer,,,Bob,Bob,Bob,Bob"));
  refuses(AllOf(HasSubstr("'Bob'"), HasSubstr("'Ada'")));
}

TEST_F(DlcProjectFolder, TellsWhenOnlyTheH5IsThere) {
  fs::rename(project_ / "labeled-data" / "b" / "CollectedData_Ada.csv",
             project_ / "labeled-data" / "b" / "CollectedData_Ada.h5");
  refuses(AllOf(HasSubstr("CollectedData_Ada.h5 only"), HasSubstr("to_csv")));
}

TEST_F(DlcProjectFolder, RefusesAnImageLabelledInTwoFiles) {
  ASSERT_TRUE(tests::replace_in_file(project_ / "labeled-data" / "b" / "CollectedData_Ada.csv",
                                     "labeled-data,b,img9.png", "labeled-data,a,img1.png"));
  refuses(AllOf(HasSubstr("a/img1.png is labelled twice"), HasSubstr("line 5")));
}

TEST_F(DlcProjectFolder, RefusesEmptyProjects) {
  for (const char* video : {"a", "b"}) fs::remove(project_ / "labeled-data" / video / "CollectedData_Ada.csv");
  refuses(HasSubstr("no labelled frame"));
  fs::remove_all(project_ / "labeled-data");
  refuses(HasSubstr("no folder"));
}

TEST(DlcProjectOpenField, ReadsDeepLabCutsExample) {
  if (!fs::exists(tests::open_field_project())) GTEST_SKIP() << "no open-field data in " << tests::test_data_folder();
  const DlcProject project =
      read_dlc_project(tests::open_field_project());  // its video_sets holds a placeholder, its skeleton is []
  EXPECT_EQ(project.facts.task, "openfield");
  EXPECT_EQ(project.facts.date, "Oct30");
  EXPECT_EQ(project.facts.pcutoff, 0.4);
  EXPECT_EQ(project.facts.dotsize, 8);
  EXPECT_EQ(project.facts.colormap, "jet");
  EXPECT_EQ(project.facts.train_fraction, 0.95);
  EXPECT_THAT(project.facts.skeleton.bodyparts, ElementsAre("snout", "leftear", "rightear", "tailbase"));
  EXPECT_THAT(project.facts.skeleton.links, IsEmpty());
  const ProjectLabels labels = read_project_labels(project);
  EXPECT_EQ(labels.table.rows.size(), 116U);
  EXPECT_THAT(labels.notes, IsEmpty());
}

}  // namespace
}  // namespace ringpose::data
