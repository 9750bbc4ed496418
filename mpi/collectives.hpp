// Blocking collectives on host memory. Every rank must make the same calls in the same order. All throw MpiError.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mpi/communicator.hpp"

namespace ringpose::mpi {

enum class ReduceOp { sum, min, max };

void barrier(const Communicator& communicator);
/// In place.
void all_reduce(const Communicator& communicator, std::span<float> values, ReduceOp op = ReduceOp::sum);
void all_reduce(const Communicator& communicator, std::span<double> values, ReduceOp op = ReduceOp::sum);
void all_reduce(const Communicator& communicator, std::span<std::int64_t> values, ReduceOp op = ReduceOp::sum);
/// Bytes of `root` to everybody; sizes above 2 GiB are sent in pieces.
void broadcast(const Communicator& communicator, std::span<std::byte> bytes, int root = 0);
/// Any length; the other ranks' text is replaced.
void broadcast(const Communicator& communicator, std::string& text, int root = 0);
/// Concatenates every rank's bytes on `root` in rank order; empty elsewhere. Lengths may differ.
[[nodiscard]] std::vector<std::vector<std::byte>> gather(const Communicator& communicator,
                                                         std::span<const std::byte> bytes, int root = 0);
/// Every rank's value, in rank order.
[[nodiscard]] std::vector<double> all_gather(const Communicator& communicator, double value);
/// True where all ranks pass the same value.
[[nodiscard]] bool all_equal(const Communicator& communicator, std::uint64_t value);

}  // namespace ringpose::mpi
