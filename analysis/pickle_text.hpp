// The subset of Python's pickle protocol 0 (ASCII) that PyTables keeps in attributes: lists, tuples, dictionaries,
// integers, texts.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ringpose::analysis::pickle {

struct Value;
using Items = std::vector<Value>;

/// One Python object. Anything else (None, class instances) reads as std::monostate.
struct Value {
  std::variant<std::monostate, std::int64_t, std::string, Items>
      content;  ///< Items: list, tuple, or dictionary as key, value, ...
  [[nodiscard]] const Items* items() const { return std::get_if<Items>(&content); }
  [[nodiscard]] const std::string* text() const { return std::get_if<std::string>(&content); }
};

/// Parses a whole pickle. Throws data::FormatError on other protocols, unknown operations and cut-off input.
[[nodiscard]] Value parse(std::string_view pickle);

/// Pieces of a pickle without the final stop; complete() adds it. Texts are UTF-8.
[[nodiscard]] std::string text(std::string_view utf8);
[[nodiscard]] std::string integer(std::int64_t value);
[[nodiscard]] std::string tuple(const std::vector<std::string>& pieces);
[[nodiscard]] std::string list(const std::vector<std::string>& pieces);
/// key, value, key, value, ...
[[nodiscard]] std::string dictionary(const std::vector<std::string>& pieces);
[[nodiscard]] std::string complete(const std::string& piece);

}  // namespace ringpose::analysis::pickle
