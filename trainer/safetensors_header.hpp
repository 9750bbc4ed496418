// The JSON header of a safetensors file, apart from reading and writing: names, types, shapes, places. Pure functions.
// Source: github.com/huggingface/safetensors, README "Format".
#pragma once
#include <c10/core/ScalarType.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ringpose::trainer {

/// One tensor of the file. Bytes [begin, end) count from the end of the header.
struct SafetensorsEntry {
  std::string name;
  c10::ScalarType type = c10::ScalarType::Float;
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

struct SafetensorsHeader {
  std::vector<SafetensorsEntry> entries;        ///< in the order of the JSON text
  std::map<std::string, std::string> metadata;  ///< __metadata__
};

/// The format's own limit, so that a foreign file is not taken for a giant header.
inline constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;

/// Parses and checks the JSON text against the `data_bytes` that follow it: unique names, known types, sizes that fit
/// the shapes, and offsets that cover the data without gap or overlap. `file` only goes into messages. Throws
/// data::FormatError.
[[nodiscard]] SafetensorsHeader parse_safetensors_header(std::string_view json, std::uint64_t data_bytes,
                                                         const std::string& file);

/// Sets begin and end of every entry: widest types first, so that each tensor starts at a multiple of its element size.
void lay_out(std::vector<SafetensorsEntry>& entries);

/// JSON text, padded with spaces to a multiple of 8 bytes. Throws std::invalid_argument on a repeated or reserved name,
/// a type without a name in the format, or text that is not UTF-8.
[[nodiscard]] std::string format_safetensors_header(const SafetensorsHeader& header);

}  // namespace ringpose::trainer
