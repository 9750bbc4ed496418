#include "trainer/checkpoint.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <map>

#include "data/error.hpp"
#include "trainer/checkpoint_metadata.hpp"
#include "trainer/content_hash.hpp"
#include "trainer/safetensors.hpp"

namespace ringpose::trainer {

namespace {

constexpr const char* kFormatKey = "ringpose_format";
constexpr const char* kJsonKey = "ringpose";
constexpr const char* kChecksumKey = "ringpose_checksum";
const std::string kExpAvg = "ringpose.exp_avg.";
const std::string kExpAvgSq = "ringpose.exp_avg_sq.";

/// Over names, types, shapes and bytes of every tensor in the order of their names, and the JSON.
std::string checksum(const TensorFile& file, const std::string& json) {
  std::map<std::string_view, const torch::Tensor*> by_name;
  for (const auto& [name, tensor] : file.tensors) by_name.emplace(name, &tensor);
  ContentHash hash;
  for (const auto& [name, tensor] : by_name) {
    hash.add(name);
    hash.add(std::string_view(torch::toString(tensor->scalar_type())));
    for (const std::int64_t size : tensor->sizes()) hash.add(static_cast<std::uint64_t>(size));
    hash.add(std::span(static_cast<const std::byte*>(tensor->data_ptr()), tensor->nbytes()));
  }
  hash.add(json);
  return hash.hex();
}

void append(TensorFile& file, const std::string& prefix, const std::vector<torch::Tensor>& tensors) {
  for (std::size_t i = 0; i < tensors.size(); ++i)
    file.tensors.emplace_back(prefix + std::to_string(i), tensors[i].detach().cpu().contiguous());
}

std::string metadata_of(const TensorFile& file, const std::string& key, const std::filesystem::path& path) {
  const auto found = file.metadata.find(key);
  if (found == file.metadata.end())
    throw data::FormatError(
        fmt::format("Reading checkpoint {}: its header has no '{}', so it is no ringpose checkpoint, or its header is "
                    "damaged. Expected a "
                    "snapshot-*.safetensors written by 'ringpose train' (initial weights go to --weights instead).",
                    path.string(), key));
  return found->second;
}

/// Takes `prefix`0, `prefix`1, ... out of `tensors`, in the order of their numbers.
std::vector<torch::Tensor> take_state(const std::string& prefix, std::map<std::string, torch::Tensor>& tensors) {
  std::vector<torch::Tensor> state;
  for (;;) {
    auto node = tensors.extract(prefix + std::to_string(state.size()));
    if (node.empty()) return state;
    state.push_back(std::move(node.mapped()));
  }
}

/// The model's tensors in file order; all else goes to `others`.
void split_tensors(const TensorFile& file, Checkpoint& checkpoint) {
  std::map<std::string, torch::Tensor> others;
  for (const auto& [name, tensor] : file.tensors) {
    if (name.starts_with("ringpose."))
      others.emplace(name, tensor);
    else
      checkpoint.model.emplace_back(name, tensor);
  }
  checkpoint.exp_avg = take_state(kExpAvg, others);
  checkpoint.exp_avg_sq = take_state(kExpAvgSq, others);
  if (!others.empty())
    throw data::FormatError(fmt::format("optimizer tensor '{}' has no place", others.begin()->first));
}

}  // namespace

void save_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint) {
  TensorFile file;
  for (const auto& [name, tensor] : checkpoint.model)
    file.tensors.emplace_back(name, tensor.detach().cpu().contiguous());
  append(file, kExpAvg, checkpoint.exp_avg);
  append(file, kExpAvgSq, checkpoint.exp_avg_sq);
  const std::string json = metadata_to_json(checkpoint);
  file.metadata = {
      {kFormatKey, std::to_string(kCheckpointFormat)}, {kJsonKey, json}, {kChecksumKey, checksum(file, json)}};
  write_safetensors(path, file);
}

Checkpoint load_checkpoint(const std::filesystem::path& path) {
  const TensorFile file = read_safetensors(path);
  const std::string format = metadata_of(file, kFormatKey, path);
  const std::string json = metadata_of(file, kJsonKey, path);
  const std::string stored = metadata_of(file, kChecksumKey, path);
  if (format != std::to_string(kCheckpointFormat))
    throw data::FormatError(
        fmt::format("Reading checkpoint {}: it has format {}, this ringpose reads format {}. Use the ringpose that "
                    "wrote it, or a newer one.",
                    path.string(), format, kCheckpointFormat));
  if (const std::string found = checksum(file, json); found != stored)
    throw data::FormatError(
        fmt::format("Reading checkpoint {}: its contents have checksum {}, expected {}. The file is damaged; use "
                    "another snapshot of the run.",
                    path.string(), found, stored));
  try {
    Checkpoint checkpoint = metadata_from_json(json);
    split_tensors(file, checkpoint);
    return checkpoint;
  } catch (const std::exception& error) {
    throw data::FormatError(fmt::format("Reading checkpoint {}: {}.", path.string(), error.what()));
  }
}

std::optional<std::string> resume_obstacle(const Checkpoint& checkpoint, const ResumeFacts& facts) {
  const auto differ = [](const char* what, const auto& saved, const auto& now) {
    return fmt::format("the checkpoint has {} {}, this run has {}", what, saved, now);
  };
  if (checkpoint.exp_avg.empty())
    return "it is a best snapshot without optimizer state; resume from a regular snapshot-<epoch>.safetensors";
  if (checkpoint.project.skeleton.bodyparts != facts.skeleton.bodyparts)
    return differ("bodyparts", fmt::format("[{}]", fmt::join(checkpoint.project.skeleton.bodyparts, ", ")),
                  fmt::format("[{}]", fmt::join(facts.skeleton.bodyparts, ", ")));
  if (checkpoint.dataset_digest != facts.dataset_digest)
    return differ("data set digest", checkpoint.dataset_digest, facts.dataset_digest);
  if (checkpoint.net_type != facts.net_type) return differ("net_type", checkpoint.net_type, facts.net_type);
  if (checkpoint.global_batch != facts.global_batch)
    return differ("global batch", checkpoint.global_batch, facts.global_batch);
  if (checkpoint.seed != facts.seed) return differ("seed", checkpoint.seed, facts.seed);
  return std::nullopt;
}

}  // namespace ringpose::trainer
