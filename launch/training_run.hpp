// Everything between the command line and the training loop: configuration, resume, checks.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "data/packed_reader.hpp"
#include "launch/config.hpp"
#include "launch/run_folder.hpp"
#include "mpi/communicator.hpp"
#include "trainer/checkpoint.hpp"

namespace ringpose::launch {

/// What the user typed.
struct TrainArguments {
  std::string data_file;
  std::string output;
  std::string config_file;
  std::string dlc_config_file;
  std::vector<std::string> settings;
  std::string weights;
  std::string weights_sha256;  ///< expected digest of the weights file in hex; empty: not checked
  ResumeRequest resume;
  std::optional<std::int64_t> stop_after_updates;
  std::optional<std::int64_t> stop_after_epochs;
  std::string json_file;
};

/// What it comes to; equal on all ranks, but for the checkpoint's tensors, which rank 0 alone holds.
struct TrainPlan {
  RunConfig config;
  std::string config_yaml;
  std::optional<trainer::Checkpoint> resume;
  std::string resume_file;
  std::vector<std::string> remarks;  ///< rank 0 only
};

/// Collective: rank 0 reads the files and decides, the others are told. Throws (on rank 0) data::ConfigError,
/// data::FormatError or data::IoError with the one message for the user.
[[nodiscard]] TrainPlan plan_training(const TrainArguments& arguments, const data::PackedReader& reader,
                                      const mpi::Communicator& world);

}  // namespace ringpose::launch
