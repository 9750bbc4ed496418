// Division of the labelled frames into training and test rows, DeepLabCut's way.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ringpose::data {

/// Row numbers of the packed file used for training and testing.
struct Split {
  std::vector<std::int64_t> train;
  std::vector<std::int64_t> test;
  bool operator==(const Split&) const = default;
};

/// The split of DeepLabCut's create_training_dataset (trainingsetmanipulation.py, SplitTrials) when numpy's generator
/// is seeded: `np.random.seed(seed); p = np.random.permutation(n)`; train = first int(n * fraction) of p, test = the
/// rest, both in that order. `fraction` is used as rounded to two decimals. Throws ConfigError: n < 1, fraction not in
/// (0, 1], no training row.
[[nodiscard]] Split random_split(std::int64_t n, double fraction, std::uint32_t seed);

/// `np.random.seed(seed); np.random.permutation(n)` of numpy's legacy generator (numpy/random/mtrand: MT19937, masked
/// rejection).
[[nodiscard]] std::vector<std::int64_t> numpy_permutation(std::int64_t n, std::uint32_t seed);

/// Rows chosen by a text: items separated by commas, each a row (`7`), a range with both ends (`0-9`), a modulus
/// (`%20==7`: rows whose number modulo 20 is 7), or `@file` (one row a line; empty lines and lines starting with # are
/// skipped). Returned in ascending order. Throws ConfigError (malformed, outside [0, n), a row twice, no row) or
/// IoError (the file).
[[nodiscard]] std::vector<std::int64_t> parse_rows(const std::string& text, std::int64_t n);

/// Split from row texts. A text that is absent means the rest of the rows; at least one must be given. Rows may be left
/// out of both. Throws as parse_rows; also ConfigError when train and test overlap or no training row is left.
[[nodiscard]] Split chosen_split(const std::optional<std::string>& train_rows,
                                 const std::optional<std::string>& test_rows, std::int64_t n);

}  // namespace ringpose::data
