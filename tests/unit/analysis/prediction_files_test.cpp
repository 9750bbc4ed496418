// Against files that DeepLabCut 3.0.2 wrote: tests/golden/make_predictions.py.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>

#include "analysis/number_text.hpp"
#include "analysis/pickle_text.hpp"
#include "analysis/prediction_writer.hpp"
#include "data/error.hpp"
#include "tests/support/small_mount.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ringpose::analysis {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string bytes_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

fs::path golden(const std::string& name) {
  return fs::path(RINGPOSE_SOURCE_DIR) / "tests/golden/predictions" / name;
}

/// The arrays that were given to DeepLabCut.
PredictionTable golden_table(const std::string& name, std::vector<std::string> bodyparts) {
  PredictionTable table{"DLC_Resnet50_openfieldOct30shuffle1_snapshot_best-120", std::move(bodyparts), 9, {}};
  const std::string bytes = bytes_of(golden(name + ".f32"));
  table.values_FK3.resize(bytes.size() / sizeof(float));
  std::memcpy(table.values_FK3.data(), bytes.data(), bytes.size());
  return table;
}

PredictionTable open_field() {
  return golden_table("open_field", {"snout", "leftear", "rightear", "tailbase"});
}
PredictionTable odd_names() {
  return golden_table("names", {"Nase µ", "a,b", "quo\"te", "right eye"});
}

void expect_same(const PredictionTable& found, const PredictionTable& expected) {
  EXPECT_EQ(found.scorer, expected.scorer);
  EXPECT_EQ(found.bodyparts, expected.bodyparts);
  EXPECT_EQ(found.frames, expected.frames);
  ASSERT_EQ(found.values_FK3.size(), expected.values_FK3.size());
  for (std::size_t i = 0; i < expected.values_FK3.size(); ++i) {
    const float a = found.values_FK3[i], b = expected.values_FK3[i];
    EXPECT_TRUE(a == b || (std::isnan(a) && std::isnan(b))) << "value " << i << ": " << a << ", expected " << b;
  }
}

TEST(PredictionCsv, EqualsDeepLabCutsByteForByte) {
  const tests::TemporaryFolder folder;
  write_prediction_csv(folder / "a.csv", open_field());
  EXPECT_EQ(bytes_of(folder / "a.csv"), bytes_of(golden("open_field.csv")));
  write_prediction_csv(folder / "b.csv", odd_names());
  EXPECT_EQ(bytes_of(folder / "b.csv"), bytes_of(golden("names.csv")));
}

TEST(PredictionCsv, ReadsDeepLabCuts) {
  expect_same(read_prediction_csv(golden("open_field.csv")), open_field());
  expect_same(read_prediction_csv(golden("names.csv")), odd_names());
}

TEST(PredictionH5, ReadsDeepLabCuts) {
  expect_same(read_prediction_h5(golden("open_field.h5")), open_field());
  expect_same(read_prediction_h5(golden("names.h5")), odd_names());
}

TEST(PredictionH5, ReadsWhatItWrote) {
  const tests::TemporaryFolder folder;
  write_prediction_h5(folder / "a.h5", odd_names());
  expect_same(read_prediction_h5(folder / "a.h5"), odd_names());
  expect_same(read_predictions(folder / "a.h5"), odd_names());
}

TEST(PredictionH5, ManyFramesAndPartsInOneFile) {
  const tests::TemporaryFolder folder;
  PredictionTable table{"DLC_x", {}, 20000, {}};
  for (int k = 0; k < 60; ++k) table.bodyparts.push_back("part" + std::to_string(k));
  for (std::size_t i = 0; i < 20000U * 60 * 3; ++i) table.values_FK3.push_back(static_cast<float>(i % 100003) / 7);
  write_prediction_h5(folder / "a.h5", table);
  const auto found = read_prediction_h5(folder / "a.h5");
  EXPECT_EQ(found.frames, 20000);
  EXPECT_TRUE(found.values_FK3 == table.values_FK3);
}

TEST(PredictionH5, EqualTablesGiveEqualBytes) {
  const tests::TemporaryFolder folder;
  write_prediction_h5(folder / "a.h5", open_field());
  write_prediction_h5(folder / "b.h5", open_field());
  EXPECT_TRUE(bytes_of(folder / "a.h5") == bytes_of(folder / "b.h5"));
}

/// Writes files for tests/golden/check_prediction_h5.py, which compares them with pandas.
TEST(PredictionH5, KeptForPandas) {
  const char* folder = std::getenv("RINGPOSE_KEEP_PREDICTIONS");
  if (folder == nullptr) GTEST_SKIP() << "RINGPOSE_KEEP_PREDICTIONS is not set";
  write_prediction_h5(fs::path(folder) / "open_field.h5", open_field());
  write_prediction_h5(fs::path(folder) / "names.h5", odd_names());
}

TEST(PredictionFiles, RefuseForeignAndDamagedFiles) {
  const tests::TemporaryFolder folder;
  std::ofstream(folder / "text.h5") << "not HDF5";
  EXPECT_THROW(static_cast<void>(read_prediction_h5(folder / "text.h5")), data::FormatError);
  EXPECT_THROW(static_cast<void>(read_prediction_h5(folder / "none.h5")), data::IoError);
  EXPECT_THROW(static_cast<void>(read_prediction_csv(folder / "none.csv")), data::IoError);
  EXPECT_THROW(static_cast<void>(read_predictions(folder / "a.txt")), data::ConfigError);
  const std::string whole = bytes_of(golden("open_field.h5"));
  std::ofstream(folder / "cut.h5", std::ios::binary) << whole.substr(0, whole.size() / 2);
  EXPECT_THROW(static_cast<void>(read_prediction_h5(folder / "cut.h5")), data::FormatError);
  std::string csv = bytes_of(golden("open_field.csv"));
  std::ofstream(folder / "gap.csv") << csv.replace(csv.find("\n4,"), 3, "\n5,");
  EXPECT_THROW(static_cast<void>(read_prediction_csv(folder / "gap.csv")), data::FormatError);
  std::ofstream(folder / "multi.csv") << "scorer,a\nindividuals,m\nbodyparts,n\ncoords,x\n";
  EXPECT_THROW(static_cast<void>(read_prediction_csv(folder / "multi.csv")), data::FormatError);
}

TEST(PredictionFiles, FullDiskLeavesNothing) {
  const tests::TemporaryFolder folder;
  const tests::SmallMount disk(folder.path(), tests::SmallMount::Kind::kFull);
  if (!disk.mounted()) GTEST_SKIP() << "mounting a small disk is not permitted here";
  PredictionTable table{"DLC_x", {"nose"}, 20000, std::vector<float>(60000, 1.5F)};
  EXPECT_THROW(write_prediction_h5(folder / "a.h5", table), data::IoError);
  EXPECT_THROW(write_prediction_csv(folder / "a.csv", table), data::IoError);
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(PredictionFiles, RefuseTablesThatContradictThemselves) {
  const tests::TemporaryFolder folder;
  EXPECT_THROW(write_prediction_csv(folder / "a.csv", {"DLC_x", {"nose"}, 2, {1, 2, 3}}), data::ConfigError);
  EXPECT_THROW(write_prediction_h5(folder / "a.h5", {"DLC_x", {}, 0, {}}), data::ConfigError);
}

// numpy 2.4: np.float32(value).astype(str)
TEST(FloatText, EqualsNumpys) {
  const std::vector<std::pair<float, const char*>> cases = {{1e-4F, "1e-04"},
                                                            {9.9e-5F, "9.9e-05"},
                                                            {0.00012345678F, "0.00012345678"},
                                                            {0.001F, "0.001"},
                                                            {1e6F, "1e+06"},
                                                            {1234567, "1.234567e+06"},
                                                            {9999999, "9.999999e+06"},
                                                            {12345678, "1.2345678e+07"},
                                                            {-0.0F, "-0.0"},
                                                            {3e38F, "3e+38"},
                                                            {1e-45F, "1e-45"},
                                                            {100, "100.0"},
                                                            {-3.25F, "-3.25"},
                                                            {std::numeric_limits<float>::quiet_NaN(), ""},
                                                            {std::numeric_limits<float>::infinity(), "inf"},
                                                            {1 / 3.0F, "0.33333334"},
                                                            {123456.78F, "123456.78"}};
  for (const auto& [value, text] : cases) EXPECT_EQ(float_text(value), text);
}

// python3 -c "import pickle; print(pickle.dumps([(0, 'index'), {'a\nb': 'µ€😀\\\\'}], 0))"
TEST(PickleText, ReadsPython) {
  const std::string python =
      "(lp0\n(I0\nVindex\np1\ntp2\na(dp3\nVa\\u000ab\np4\nV\xb5\\u20ac\\U0001f600\\u005c\\u005c\np5\nsa.";
  const auto value = pickle::parse(python);
  ASSERT_NE(value.items(), nullptr);
  const auto& pair = *value.items()->at(0).items();
  EXPECT_EQ(std::get<std::int64_t>(pair[0].content), 0);
  EXPECT_EQ(*pair[1].text(), "index");
  const auto& dictionary = *value.items()->at(1).items();
  EXPECT_EQ(*dictionary[0].text(), "a\nb");
  EXPECT_EQ(*dictionary[1].text(), "µ€😀\\\\");
}

TEST(PickleText, RefusesOtherProtocolsAndCutInput) {
  EXPECT_THROW(static_cast<void>(pickle::parse("\x80\x04]\x94.")), data::FormatError);
  EXPECT_THROW(static_cast<void>(pickle::parse("(lp0\n(I0\nVin")), data::FormatError);
  EXPECT_THROW(static_cast<void>(pickle::parse("")), data::FormatError);
  EXPECT_THROW(static_cast<void>(pickle::parse("a.")), data::FormatError);
}

}  // namespace
}  // namespace ringpose::analysis
