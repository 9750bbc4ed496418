#include "data/split.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <numeric>

#include "data/error.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ringpose::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;
using Rows = std::vector<std::int64_t>;

/// First values of numpy.random.seed(seed); numpy.random.permutation(n), and sum of i * p[i], printed by numpy 2.4.6.
struct NumpyPermutation {
  std::int64_t n;
  std::uint32_t seed;
  Rows first;
  std::int64_t weighted_sum;
};

const NumpyPermutation kNumpy[] = {
    {1, 0, {0}, 0},
    {2, 1, {0, 1}, 1},
    {5, 42, {1, 4, 2, 0, 3}, 20},
    {20, 1, {3, 16, 6, 10, 2, 14, 4, 17, 7, 1, 13, 0}, 1912},
    {116, 42, {83, 4, 42, 40, 10, 47, 110, 36, 70, 11, 45, 26}, 406994},
    {257, 7, {133, 249, 161, 24, 57, 65, 2, 132, 251, 94, 243, 171}, 4308745},
    {1000, 4294967295U, {94, 405, 819, 632, 217, 169, 449, 275, 165, 828, 959, 475}, 249935792},
    {65537, 123, {39242, 16297, 53205, 54297, 10944, 24459, 16444, 2797, 57475, 62010, 10743, 36433}, 70221857270136},
};

TEST(Split, PermutationEqualsNumpys) {
  for (const NumpyPermutation& expected : kNumpy) {
    const Rows order = numpy_permutation(expected.n, expected.seed);
    ASSERT_EQ(static_cast<std::int64_t>(order.size()), expected.n);
    EXPECT_EQ(Rows(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(expected.first.size())), expected.first)
        << "n " << expected.n;
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < order.size(); ++i) sum += static_cast<std::int64_t>(i) * order[i];
    EXPECT_EQ(sum, expected.weighted_sum) << "n " << expected.n;
  }
}

TEST(Split, EqualsTheOneDeepLabCutWroteForSeedZero) {
  // testIndices of Documentation_data-openfield_95shuffle1.pickle, written by DeepLabCut 3.0.2 after
  // numpy.random.seed(0).
  const Split split = random_split(116, 0.95, 0);
  EXPECT_THAT(split.test, ElementsAre(103, 112, 67, 64, 47, 44));
  ASSERT_EQ(split.train.size(), 110U);
  EXPECT_THAT(Rows(split.train.begin(), split.train.begin() + 5), ElementsAre(10, 74, 66, 51, 7));
  EXPECT_EQ(split.train.back(), 9);
}

TEST(Split, TrainRowsAreTheWholePartOfTheProduct) {
  EXPECT_EQ(random_split(10, 0.55, 1).train.size(), 5U);
  EXPECT_EQ(random_split(100, 0.29, 1).train.size(), 28U);  // Python: int(100 * 0.29) is 28
  EXPECT_EQ(random_split(7, 1.0, 1).test.size(), 0U);
}

TEST(Split, RefusesWhatLeavesNoTrainingRow) {
  EXPECT_THAT([] { return random_split(1, 0.95, 0); }, ThrowsMessage<ConfigError>(HasSubstr("no training frame")));
  EXPECT_THAT([] { return random_split(0, 0.95, 0); }, ThrowsMessage<ConfigError>(HasSubstr("empty project")));
  EXPECT_THAT([] { return random_split(10, 1.5, 0); }, ThrowsMessage<ConfigError>(HasSubstr("TrainingFraction")));
  EXPECT_THAT([] { return random_split(10, 0.001, 0); }, ThrowsMessage<ConfigError>(HasSubstr("TrainingFraction")));
}

TEST(Rows, ReadsListsRangesAndModulus) {
  EXPECT_THAT(parse_rows("7,27", 116), ElementsAre(7, 27));
  EXPECT_THAT(parse_rows(" 9 - 11 , 3 ", 116), ElementsAre(3, 9, 10, 11));
  EXPECT_THAT(parse_rows("%20==7", 116), ElementsAre(7, 27, 47, 67, 87, 107));
  EXPECT_THAT(parse_rows("%50 == 0,1", 116), ElementsAre(0, 1, 50, 100));
}

TEST(Rows, ReadsFiles) {
  const tests::TemporaryFolder folder;
  std::ofstream(folder / "rows.txt") << "# test rows\n12\n\n 3\r\n";
  EXPECT_THAT(parse_rows("@" + (folder / "rows.txt").string(), 20), ElementsAre(3, 12));
  EXPECT_THAT([&] { return parse_rows("@" + (folder / "none.txt").string(), 20); },
              ThrowsMessage<IoError>(testing::AllOf(HasSubstr("none.txt"), HasSubstr("No such file"))));
  std::ofstream(folder / "bad.txt") << "12\nx\n";
  EXPECT_THAT([&] { return parse_rows("@" + (folder / "bad.txt").string(), 20); },
              ThrowsMessage<ConfigError>(HasSubstr("'x'")));
}

TEST(Rows, RefusesMalformedTexts) {
  for (const char* text : {"", ",", "1,", "a", "3-", "-3", "9-3", "%20", "%20=7", "%0==0", "%5==5", "1.5", "0x3"})
    EXPECT_THAT([&] { return parse_rows(text, 116); }, ThrowsMessage<ConfigError>(HasSubstr("cannot read the rows")))
        << text;
}

TEST(Rows, RefusesRowsOutsideTwiceOrNone) {
  EXPECT_THAT([] { return parse_rows("116", 116); },
              ThrowsMessage<ConfigError>(testing::AllOf(HasSubstr("row 116"), HasSubstr("0 to 115"))));
  EXPECT_THAT([] { return parse_rows("5,0-9", 116); }, ThrowsMessage<ConfigError>(HasSubstr("row 5 twice")));
  EXPECT_THAT([] { return parse_rows("%20==7", 5); }, ThrowsMessage<ConfigError>(HasSubstr("no frame")));
}

TEST(ChosenSplit, TheRestIsTheOtherPart) {
  const Split by_test = chosen_split(std::nullopt, "1,3", 5);
  EXPECT_THAT(by_test.train, ElementsAre(0, 2, 4));
  EXPECT_THAT(by_test.test, ElementsAre(1, 3));
  const Split by_train = chosen_split("1,3", std::nullopt, 5);
  EXPECT_THAT(by_train.test, ElementsAre(0, 2, 4));
  const Split both = chosen_split("1", "3", 5);
  EXPECT_THAT(both.train, ElementsAre(1));
  EXPECT_THAT(both.test, ElementsAre(3));
}

TEST(ChosenSplit, RefusesOverlapAndEmptyTraining) {
  EXPECT_THAT([] { return chosen_split("0-3", "3-4", 5); }, ThrowsMessage<ConfigError>(HasSubstr("row 3 is both")));
  EXPECT_THAT([] { return chosen_split(std::nullopt, "0-4", 5); },
              ThrowsMessage<ConfigError>(HasSubstr("no training frame")));
  EXPECT_THROW(static_cast<void>(chosen_split(std::nullopt, std::nullopt, 5)), ConfigError);
}

}  // namespace
}  // namespace ringpose::data
