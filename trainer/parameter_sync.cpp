#include "trainer/parameter_sync.hpp"

#include <fmt/format.h>
#include <torch/types.h>
#include <torch/utils.h>

#include "mpi/collectives.hpp"
#include "trainer/content_hash.hpp"
#include "trainer/device.hpp"

namespace ringpose::trainer {

namespace {

mpi::DataType data_type(const torch::Tensor& tensor) {
  if (tensor.scalar_type() == torch::kFloat32) return mpi::DataType::f32;
  if (tensor.scalar_type() == torch::kInt64) return mpi::DataType::i64;
  throw std::invalid_argument("broadcast_tensors: expected float32 or int64 tensors.");
}

}  // namespace

void broadcast_tensors(std::span<const torch::Tensor> tensors, mpi::Backend& backend) {
  for (const torch::Tensor& tensor : tensors) {
    if (!tensor.is_non_overlapping_and_dense())
      throw std::invalid_argument("broadcast_tensors: expected dense tensors.");
    if (tensor.numel() == 0) continue;
    const mpi::StreamHandle stream = current_stream(tensor.device());
    const mpi::DeviceSpan span{tensor.data_ptr(), static_cast<std::size_t>(tensor.numel()), data_type(tensor)};
    backend.broadcast(span, 0, stream)->wait(stream);
  }
}

std::uint64_t hash_tensors(std::span<const torch::Tensor> tensors) {
  ContentHash hash;
  for (const torch::Tensor& tensor : tensors) {
    const torch::Tensor host = tensor.detach().cpu().contiguous();
    hash.add(std::span(static_cast<const std::byte*>(host.data_ptr()), host.nbytes()));
  }
  return hash.value();
}

void require_equal(const mpi::Communicator& world, std::uint64_t value, const char* what) {
  if (mpi::all_equal(world, value)) return;
  throw DesyncError(
      fmt::format("Comparing {} over {} ranks: they differ. All ranks must run the same ringpose on the same data file "
                  "and configuration; "
                  "check that every host sees the same files and the same build.",
                  what, world.size()));
}

}  // namespace ringpose::trainer
