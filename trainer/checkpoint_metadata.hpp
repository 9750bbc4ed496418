// All of a checkpoint but its tensors, as JSON text.
#pragma once
#include <string>

#include "trainer/checkpoint.hpp"

namespace ringpose::trainer {

/// One object with stable names; NaN is written as null.
[[nodiscard]] std::string metadata_to_json(const Checkpoint& checkpoint);
/// Tensors are left empty. Throws std::exception of the JSON library when a name is missing or has another type.
[[nodiscard]] Checkpoint metadata_from_json(const std::string& json);

}  // namespace ringpose::trainer
