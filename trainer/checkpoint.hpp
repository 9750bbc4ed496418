// Checkpoints: one safetensors file with model, optimizer, counters, resolved configuration and project facts.
#pragma once
#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data/packed_reader.hpp"

namespace ringpose::trainer {

/// Everything needed to resume training, or to analyse without the project at hand.
struct Checkpoint {
  std::vector<std::pair<std::string, torch::Tensor>> model;  ///< DeepLabCut's state_dict names
  std::vector<torch::Tensor> exp_avg, exp_avg_sq;  ///< optimizer state in parameter order; empty in best snapshots
  std::int64_t optimizer_steps = 0;
  std::int64_t epoch = 0;        ///< 0-based epoch of the next step, which is the number of finished epochs
  std::int64_t step = 0;         ///< next step within that epoch
  std::int64_t global_step = 0;  ///< updates made
  std::uint64_t seed = 0;
  std::int64_t global_batch = 0;
  int world_size = 1;
  int cpu_threads = 1;
  std::string dataset_digest;
  std::string config_yaml;  ///< resolved run configuration
  std::string net_type;
  double best_metric = 0;                    ///< test RMSE in px; NaN when never evaluated
  std::int64_t best_epoch = -1;              ///< finished epochs at the best evaluation; -1: none
  std::map<std::string, double> epoch_sums;  ///< running sums of an unfinished epoch, for exact logs after resume
  data::ProjectFacts project;
};

/// File layout, in safetensors: the model under DeepLabCut's names, `ringpose.exp_avg.<i>` and
/// `ringpose.exp_avg_sq.<i>`; metadata `ringpose_format` (version), `ringpose` (JSON with all else) and
/// `ringpose_checksum` over tensors and JSON.
inline constexpr int kCheckpointFormat = 1;

/// Atomic (safetensors.hpp). Throws data::IoError; an older file of that name is then left as it was.
void save_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint);
/// Throws data::FormatError (torn, foreign, newer version, checksum wrong) or data::IoError.
[[nodiscard]] Checkpoint load_checkpoint(const std::filesystem::path& path);

/// Why `checkpoint` cannot be continued with this run's data and settings; empty when it can. Epochs, learning rates
/// and the number of ranks may differ.
struct ResumeFacts {
  std::string dataset_digest;
  data::Skeleton skeleton;
  std::string net_type;
  std::int64_t global_batch = 0;
  std::uint64_t seed = 0;
};
[[nodiscard]] std::optional<std::string> resume_obstacle(const Checkpoint& checkpoint, const ResumeFacts& facts);

}  // namespace ringpose::trainer
