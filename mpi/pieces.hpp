// MPI counts are int: long vectors travel in pieces.
#pragma once
#include <algorithm>
#include <cstddef>

namespace ringpose::mpi {

/// Most elements given to one MPI call.
inline constexpr std::size_t kPieceElements = std::size_t{1} << 28;

/// Calls visit(offset, length) for consecutive pieces of at most `limit` elements that cover [0, count). No call when
/// count is 0.
template <typename Visit>
void for_each_piece(std::size_t count, std::size_t limit, Visit visit) {
  for (std::size_t offset = 0; offset < count; offset += limit)
    visit(offset, static_cast<int>(std::min(limit, count - offset)));
}

}  // namespace ringpose::mpi
