#include "mpi/collectives.hpp"

#include "mpi/error.hpp"
#include "mpi/pieces.hpp"

namespace ringpose::mpi {

namespace {

constexpr int kGatherTag = 1;

MPI_Op mpi_op(ReduceOp op) {
  switch (op) {
    case ReduceOp::min:
      return MPI_MIN;
    case ReduceOp::max:
      return MPI_MAX;
    case ReduceOp::sum:
      break;
  }
  return MPI_SUM;
}

template <typename T>
void all_reduce_pieces(const Communicator& communicator, std::span<T> values, MPI_Datatype type, ReduceOp op) {
  for_each_piece(values.size(), kPieceElements, [&](std::size_t offset, int length) {
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, values.data() + offset, length, type, mpi_op(op), communicator.handle()),
              "MPI_Allreduce");
  });
}

void send_bytes(const Communicator& communicator, std::span<const std::byte> bytes, int target) {
  for_each_piece(bytes.size(), kPieceElements, [&](std::size_t offset, int length) {
    check_mpi(MPI_Send(bytes.data() + offset, length, MPI_BYTE, target, kGatherTag, communicator.handle()), "MPI_Send");
  });
}

void receive_bytes(const Communicator& communicator, std::span<std::byte> bytes, int source) {
  for_each_piece(bytes.size(), kPieceElements, [&](std::size_t offset, int length) {
    check_mpi(
        MPI_Recv(bytes.data() + offset, length, MPI_BYTE, source, kGatherTag, communicator.handle(), MPI_STATUS_IGNORE),
        "MPI_Recv");
  });
}

}  // namespace

void barrier(const Communicator& communicator) {
  check_mpi(MPI_Barrier(communicator.handle()), "MPI_Barrier");
}

void all_reduce(const Communicator& communicator, std::span<float> values, ReduceOp op) {
  all_reduce_pieces(communicator, values, MPI_FLOAT, op);
}

void all_reduce(const Communicator& communicator, std::span<double> values, ReduceOp op) {
  all_reduce_pieces(communicator, values, MPI_DOUBLE, op);
}

void all_reduce(const Communicator& communicator, std::span<std::int64_t> values, ReduceOp op) {
  all_reduce_pieces(communicator, values, MPI_INT64_T, op);
}

void broadcast(const Communicator& communicator, std::span<std::byte> bytes, int root) {
  for_each_piece(bytes.size(), kPieceElements, [&](std::size_t offset, int length) {
    check_mpi(MPI_Bcast(bytes.data() + offset, length, MPI_BYTE, root, communicator.handle()), "MPI_Bcast");
  });
}

void broadcast(const Communicator& communicator, std::string& text, int root) {
  std::uint64_t length = text.size();
  check_mpi(MPI_Bcast(&length, 1, MPI_UINT64_T, root, communicator.handle()), "MPI_Bcast");
  text.resize(length);
  broadcast(communicator, std::as_writable_bytes(std::span(text)), root);
}

std::vector<std::vector<std::byte>> gather(const Communicator& communicator, std::span<const std::byte> bytes,
                                           int root) {
  const bool is_root = communicator.rank() == root;
  const std::uint64_t length = bytes.size();
  std::vector<std::uint64_t> lengths(is_root ? static_cast<std::size_t>(communicator.size()) : 0);
  check_mpi(MPI_Gather(&length, 1, MPI_UINT64_T, lengths.data(), 1, MPI_UINT64_T, root, communicator.handle()),
            "MPI_Gather");
  if (!is_root) {
    send_bytes(communicator, bytes, root);
    return {};
  }
  std::vector<std::vector<std::byte>> parts(lengths.size());
  for (int source = 0; source < communicator.size(); ++source) {
    auto& part = parts[static_cast<std::size_t>(source)];
    if (source == root) {
      part.assign(bytes.begin(), bytes.end());
    } else {
      part.resize(lengths[static_cast<std::size_t>(source)]);
      receive_bytes(communicator, part, source);
    }
  }
  return parts;
}

std::vector<double> all_gather(const Communicator& communicator, double value) {
  std::vector<double> values(static_cast<std::size_t>(communicator.size()));
  check_mpi(MPI_Allgather(&value, 1, MPI_DOUBLE, values.data(), 1, MPI_DOUBLE, communicator.handle()), "MPI_Allgather");
  return values;
}

bool all_equal(const Communicator& communicator, std::uint64_t value) {
  // The greatest value and, through its complement, the smallest one, in one call.
  std::uint64_t bounds[2] = {value, ~value};
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, bounds, 2, MPI_UINT64_T, MPI_MAX, communicator.handle()), "MPI_Allreduce");
  return bounds[0] == ~bounds[1];
}

}  // namespace ringpose::mpi
