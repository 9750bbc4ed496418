#include "launch/analysis_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <system_error>

#include "analysis/drawing_facts.hpp"
#include "analysis/prediction_writer.hpp"
#include "analysis/scorer_name.hpp"
#include "analysis/video_analysis.hpp"
#include "analysis/video_index.hpp"
#include "analysis/video_splitter.hpp"
#include "data/atomic_file.hpp"
#include "data/error.hpp"
#include "launch/version.hpp"
#include "mpi/collectives.hpp"

namespace ringpose::launch {
namespace {

namespace fs = std::filesystem;
constexpr const char* kSkip = "skip";

bool all_there(const VideoResult& files, bool csv) {
  return fs::exists(files.h5_file) && (!csv || fs::exists(files.csv_file));
}

/// Files of the same name may come from another network, whose run had the same name and length, or from DeepLabCut.
void require_same_analysis(const VideoResult& files, const AnalysisRunOptions& options) {
  const auto refuse = [&](const std::string& reason) {
    throw data::ConfigError(
        fmt::format("{} is there already, but {}. Add --overwrite to analyze {} anew, or choose another --destfolder.",
                    files.h5_file.string(), reason, files.video.string()));
  };
  const auto sidecar = analysis::read_sidecar(files.sidecar_file);
  if (!sidecar)
    refuse(fmt::format("{} is not, so it is unknown from which network", files.sidecar_file.filename().string()));
  if (sidecar->analysis.checkpoint_sha256 != options.checkpoint_sha256)
    refuse(fmt::format("another network made it ({} with SHA-256 {:.12}..., not {:.12}...)",
                       sidecar->analysis.checkpoint, sidecar->analysis.checkpoint_sha256, options.checkpoint_sha256));
  const auto bytes = static_cast<std::int64_t>(fs::file_size(files.video));
  if (sidecar->analysis.video_bytes != bytes)
    refuse(fmt::format("from another video of this name ({} bytes, not {})", sidecar->analysis.video_bytes, bytes));
}

/// Fails before the work when the results could not be written after it.
void try_destination(const VideoResult& files) {
  const auto folder = files.h5_file.parent_path();
  std::error_code error;
  if (!folder.empty()) fs::create_directories(folder, error);
  if (error) throw data::IoError(data::io_message("make the folder", folder, error.value()));
  const data::AtomicFile probe(files.h5_file);
}

/// The index on every rank, or nothing to do. Rank 0 alone looks at the files.
std::string shared_plan(const VideoResult& files, const AnalysisRunOptions& options, const mpi::Communicator& world) {
  std::string plan;
  if (world.rank() == 0) {
    if (!options.overwrite && all_there(files, options.csv)) {
      require_same_analysis(files, options);
      plan = kSkip;
    } else {
      const auto index = analysis::index_video(files.video);
      try_destination(files);
      plan = analysis::serialize_index(index);
    }
  }
  mpi::broadcast(world, plan);
  return plan;
}

/// Every rank's part on rank 0, in rank order.
std::vector<analysis::RangeValues> gather_parts(const analysis::RangeValues& part, const mpi::Communicator& world) {
  const std::string bytes = analysis::serialize_range(part);
  std::vector<analysis::RangeValues> parts;
  for (const auto& other : mpi::gather(world, std::as_bytes(std::span(bytes.data(), bytes.size()))))
    parts.push_back(analysis::deserialize_range(reinterpret_cast<const char*>(other.data()), other.size()));
  return parts;
}

analysis::AnalysisFacts facts_of(const VideoResult& files, const analysis::VideoIndex& index,
                                 const trainer::Checkpoint& checkpoint, const AnalysisRunOptions& options) {
  analysis::AnalysisFacts facts;
  facts.video = files.video.filename().string();
  facts.video_bytes = static_cast<std::int64_t>(fs::file_size(files.video));
  facts.checkpoint = options.checkpoint;
  facts.checkpoint_sha256 = options.checkpoint_sha256;
  facts.scorer = options.scorer;
  facts.net_type = checkpoint.net_type;
  facts.epochs = checkpoint.epoch;
  facts.dataset_digest = checkpoint.dataset_digest;
  facts.frames = index.size();
  facts.fps = index.fps;
  facts.width_px = index.width_px;
  facts.height_px = index.height_px;
  facts.batch = options.batch;
  facts.device = options.device;
  facts.precision = options.precision;
  facts.version = version_text();
  facts.bodyparts = checkpoint.project.skeleton.bodyparts;
  return facts;
}

/// All files or none: the HDF5 file, which marks a video as analyzed, comes last.
void write_files(const VideoResult& files, const analysis::PredictionTable& table, const analysis::AnalysisFacts& facts,
                 const analysis::DrawingFacts& drawing, bool csv) {
  std::vector<fs::path> written;
  try {
    analysis::write_sidecar(files.sidecar_file, facts, drawing);
    written.push_back(files.sidecar_file);
    if (csv) {
      analysis::write_prediction_csv(files.csv_file, table);
      written.push_back(files.csv_file);
    }
    analysis::write_prediction_h5(files.h5_file, table);
    if (!csv) fs::remove(files.csv_file);  // an earlier analysis', which no longer belongs to the others
  } catch (...) {
    std::error_code ignored;
    for (const auto& file : written) fs::remove(file, ignored);
    throw;
  }
}

}  // namespace

VideoResult planned_files(const fs::path& video, const AnalysisRunOptions& options) {
  VideoResult files;
  files.video = video;
  files.h5_file = analysis::output_path(video, options.destination, options.scorer, ".h5");
  files.csv_file = analysis::output_path(video, options.destination, options.scorer, ".csv");
  files.sidecar_file = analysis::sidecar_path(files.h5_file);
  return files;
}

VideoResult analyze_video(const fs::path& video, const trainer::Checkpoint& checkpoint, analysis::Predictor& predictor,
                          const AnalysisRunOptions& options, const mpi::Communicator& world,
                          const RunProgress& progress) {
  const auto begin = std::chrono::steady_clock::now();
  VideoResult result = planned_files(video, options);
  const std::string plan = shared_plan(result, options, world);
  result.skipped = plan == kSkip;
  if (result.skipped) return result;

  const analysis::VideoIndex index = analysis::deserialize_index(plan);
  const auto range = analysis::frame_range(index.size(), options.batch, world.rank(), world.size());
  analysis::AnalysisOptions analysis_options;
  analysis_options.batch = options.batch;
  analysis_options.decoder_threads = options.decoder_threads;
  const auto report = [&](std::int64_t done) {
    if (world.rank() == 0 && progress) progress(std::min(done * world.size(), index.size()), index.size());
  };
  const auto parts =
      gather_parts(analysis::analyze_range(video, index, range, predictor, analysis_options, report), world);
  result.frames = index.size();
  if (world.rank() == 0) {
    analysis::PredictionTable table;
    table.scorer = options.scorer;
    table.bodyparts = checkpoint.project.skeleton.bodyparts;
    table.frames = index.size();
    table.values_FK3 = analysis::merge_ranges(parts, index.size(), table.bodyparts.size());
    write_files(result, table, facts_of(result, index, checkpoint, options),
                analysis::drawing_facts(checkpoint.project), options.csv);
  }
  mpi::barrier(world);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

}  // namespace ringpose::launch
