#include "data/split.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <fstream>
#include <numeric>
#include <random>
#include <string_view>
#include <utility>

#include "data/atomic_file.hpp"
#include "data/error.hpp"

namespace ringpose::data {
namespace {

constexpr std::string_view kRowsHelp =
    "expected items separated by commas: a row (7), a range (0-9), a modulus (%20==7) or @file with one row a line";

[[noreturn]] void throw_bad_rows(std::string_view item) {
  throw ConfigError("cannot read the rows '" + std::string(item) + "': " + std::string(kRowsHelp) + ".");
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::int64_t parse_number(std::string_view text, std::string_view item) {
  std::int64_t value = 0;
  text = trimmed(text);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) throw_bad_rows(item);
  return value;
}

std::int64_t checked_row(std::int64_t row, std::int64_t n, std::string_view item) {
  if (row >= n)
    throw ConfigError("row " + std::to_string(row) + " of '" + std::string(item) +
                      "' is outside the project: its rows are 0 to " + std::to_string(n - 1) + ".");
  return row;
}

void add_modulus(std::string_view item, std::int64_t n, std::vector<std::int64_t>& rows) {
  const auto equals = item.find("==");
  if (equals == std::string_view::npos) throw_bad_rows(item);
  const std::int64_t divisor = parse_number(item.substr(1, equals - 1), item);
  const std::int64_t remainder = parse_number(item.substr(equals + 2), item);
  if (divisor < 1 || remainder >= divisor) throw_bad_rows(item);
  for (std::int64_t row = remainder; row < n; row += divisor) rows.push_back(row);
}

void add_file(std::string_view item, std::int64_t n, std::vector<std::int64_t>& rows) {
  const std::string path(item.substr(1));
  std::ifstream file(path);
  if (!file) throw IoError(io_message("read the rows from", path, errno));
  std::string line;
  while (std::getline(file, line)) {
    const std::string_view text = trimmed(line);
    if (!text.empty() && text.front() != '#') rows.push_back(checked_row(parse_number(text, text), n, item));
  }
}

void add_item(std::string_view item, std::int64_t n, std::vector<std::int64_t>& rows) {
  if (item.empty()) throw_bad_rows(item);
  if (item.front() == '%') return add_modulus(item, n, rows);
  if (item.front() == '@') return add_file(item, n, rows);
  const auto dash = item.find('-');
  const std::int64_t first = checked_row(parse_number(item.substr(0, dash), item), n, item);
  const std::int64_t last =
      dash == std::string_view::npos ? first : checked_row(parse_number(item.substr(dash + 1), item), n, item);
  if (last < first) throw_bad_rows(item);
  for (std::int64_t row = first; row <= last; ++row) rows.push_back(row);
}

/// Ascending rows of [0, n) that are not in the ascending `rows`.
std::vector<std::int64_t> other_rows(const std::vector<std::int64_t>& rows, std::int64_t n) {
  std::vector<std::int64_t> others;
  for (std::int64_t row = 0; row < n; ++row)
    if (!std::binary_search(rows.begin(), rows.end(), row)) others.push_back(row);
  return others;
}

}  // namespace

std::vector<std::int64_t> numpy_permutation(std::int64_t n, std::uint32_t seed) {
  // std::mt19937 seeded with one integer is by definition the generator and seeding that numpy's legacy functions use.
  std::mt19937 generator(seed);
  std::vector<std::int64_t> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = order.size(); i-- > 1;) {
    const auto mask = static_cast<std::uint32_t>((std::uint64_t{1} << std::bit_width(i)) - 1);
    std::uint32_t j = 0;
    do {
      j = static_cast<std::uint32_t>(generator()) & mask;
    } while (j > i);
    std::swap(order[i], order[j]);
  }
  return order;
}

Split random_split(std::int64_t n, double fraction, std::uint32_t seed) {
  if (n < 1) throw ConfigError("cannot split an empty project.");
  const double rounded = std::round(fraction * 100.0) / 100.0;
  if (!(rounded > 0.0 && rounded <= 1.0))
    throw ConfigError("TrainingFraction is " + std::to_string(fraction) +
                      ", expected a number above 0 and up to 1, such as 0.95.");
  const auto order = numpy_permutation(n, seed);
  const auto train_rows = static_cast<std::ptrdiff_t>(static_cast<double>(n) * rounded);
  if (train_rows < 1)
    throw ConfigError("TrainingFraction " + std::to_string(rounded) + " of " + std::to_string(n) +
                      " frames leaves no training frame: label more frames or raise TrainingFraction.");
  return {{order.begin(), order.begin() + train_rows}, {order.begin() + train_rows, order.end()}};
}

std::vector<std::int64_t> parse_rows(const std::string& text, std::int64_t n) {
  std::vector<std::int64_t> rows;
  std::string_view rest = text;
  for (;;) {
    const auto comma = rest.find(',');
    add_item(trimmed(rest.substr(0, comma)), n, rows);
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  std::sort(rows.begin(), rows.end());
  if (rows.empty())
    throw ConfigError("the rows '" + text + "' name no frame of the " + std::to_string(n) + " in the project.");
  if (const auto twice = std::adjacent_find(rows.begin(), rows.end()); twice != rows.end())
    throw ConfigError("the rows '" + text + "' name row " + std::to_string(*twice) + " twice.");
  return rows;
}

Split chosen_split(const std::optional<std::string>& train_rows, const std::optional<std::string>& test_rows,
                   std::int64_t n) {
  Split split;
  if (!train_rows && !test_rows) throw ConfigError("a chosen split needs training rows or test rows.");
  if (train_rows) split.train = parse_rows(*train_rows, n);
  if (test_rows) split.test = parse_rows(*test_rows, n);
  if (!train_rows) split.train = other_rows(split.test, n);
  if (!test_rows) split.test = other_rows(split.train, n);
  if (split.train.empty()) throw ConfigError("the test rows '" + *test_rows + "' leave no training frame.");
  for (const std::int64_t row : split.test)
    if (std::binary_search(split.train.begin(), split.train.end(), row))
      throw ConfigError("row " + std::to_string(row) + " is both a training row and a test row.");
  return split;
}

}  // namespace ringpose::data
