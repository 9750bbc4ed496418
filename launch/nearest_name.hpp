// "Did you mean ...?" for mistyped names.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace ringpose::launch {

/// Insertions, deletions and replacements that turn one text into the other (Levenshtein 1966).
[[nodiscard]] int edit_distance(std::string_view a, std::string_view b);
/// The candidate with the smallest edit distance, the first of equals; empty when there are no candidates.
[[nodiscard]] std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace ringpose::launch
