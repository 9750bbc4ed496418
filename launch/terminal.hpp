// Whether a line can be rewritten in place.
#pragma once

namespace ringpose::launch {

/// True when standard output ends at a terminal. mpirun gives every rank a terminal of its own even when mpirun itself
/// writes to a file, so under a launcher its output is looked at too (Linux: /proc). False on doubt.
[[nodiscard]] bool output_is_terminal();

}  // namespace ringpose::launch
