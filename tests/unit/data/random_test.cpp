#include "data/random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

namespace ringpose::data {
namespace {

TEST(Random, SameKeySameNumbersAndOtherKeyOthers) {
  Random a({1, 2, 3});
  Random b({1, 2, 3});
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a.next_u64(), b.next_u64());
  std::set<std::uint64_t> first_numbers;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    for (std::uint64_t epoch = 0; epoch < 10; ++epoch) {
      first_numbers.insert(Random({seed, epoch}).next_u64());
      for (std::uint64_t position = 0; position < 10; ++position) {
        first_numbers.insert(Random({seed, epoch, position}).next_u64());
      }
    }
  }
  EXPECT_EQ(first_numbers.size(), 1100U);
}

TEST(Random, KeyWordsAreNotInterchangeable) {
  EXPECT_NE(Random({1, 2}).next_u64(), Random({2, 1}).next_u64());
}

TEST(Random, UniformLiesInItsRange) {
  Random random({5});
  double lowest = 1;
  double highest = 0;
  double sum = 0;
  constexpr int kDraws = 100000;
  for (int i = 0; i < kDraws; ++i) {
    const double x = random.uniform();
    ASSERT_GE(x, 0);
    ASSERT_LT(x, 1);
    lowest = std::min(lowest, x);
    highest = std::max(highest, x);
    sum += x;
  }
  EXPECT_LT(lowest, 1e-4);
  EXPECT_GT(highest, 1 - 1e-4);
  EXPECT_NEAR(sum / kDraws, 0.5, 4 * std::sqrt(1.0 / 12 / kDraws));
}

// Neighbouring keys must give unrelated numbers: they are the samples of one epoch.
TEST(Random, FirstNumbersOfNeighbouringKeysAreUncorrelated) {
  constexpr int kKeys = 100000;
  double product = 0;
  double previous = Random({42, 0, 0}).uniform() - 0.5;
  for (std::uint64_t key = 1; key <= kKeys; ++key) {
    const double next = Random({42, 0, key}).uniform() - 0.5;
    product += previous * next;
    previous = next;
  }
  EXPECT_LT(std::abs(product / kKeys * 12), 4 / std::sqrt(kKeys));
}

TEST(Random, BelowIsEvenOverAWordThatDoesNotDivide) {
  Random random({8});
  std::vector<int> counts(7, 0);
  for (int i = 0; i < 70000; ++i) ++counts[random.below(7)];
  double chi_square = 0;
  for (const int count : counts) chi_square += (count - 10000.0) * (count - 10000.0) / 10000.0;
  EXPECT_LT(chi_square, 22.46);  // 6 degrees of freedom at level 0.001
  EXPECT_EQ(random.below(1), 0U);
  // For 3 * 2^62 a plain remainder would make the lower third twice as likely.
  int low_third = 0;
  for (int i = 0; i < 30000; ++i) low_third += random.below(std::uint64_t{3} << 62) < (std::uint64_t{1} << 62) ? 1 : 0;
  EXPECT_NEAR(low_third / 30000.0, 1.0 / 3, 4 * std::sqrt(2.0 / 9 / 30000));
}

TEST(Random, NormalHasItsMoments) {
  Random random({3});
  constexpr int kDraws = 200000;
  double sum = 0;
  double square = 0;
  double fourth = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = random.normal();
    sum += x;
    square += x * x;
    fourth += x * x * x * x;
  }
  EXPECT_NEAR(sum / kDraws, 0, 4 / std::sqrt(kDraws));
  EXPECT_NEAR(square / kDraws, 1, 4 * std::sqrt(2.0 / kDraws));
  EXPECT_NEAR(fourth / kDraws, 3, 4 * std::sqrt(96.0 / kDraws));
}

}  // namespace
}  // namespace ringpose::data
