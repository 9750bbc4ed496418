#include "analysis/video_analysis.hpp"

#include <cstring>
#include <exception>
#include <thread>
#include <utility>
#include <vector>

#include "analysis/video_reader.hpp"
#include "data/bounded_queue.hpp"
#include "data/error.hpp"

namespace ringpose::analysis {
namespace {

/// A decoded batch, the end of the range (no images), or why decoding stopped.
struct DecodedBatch {
  std::vector<data::Image> images;
  std::exception_ptr error;
};
using BatchQueue = data::BoundedQueue<DecodedBatch>;

void decode_range(const std::filesystem::path& video, const VideoIndex& index, FrameRange range,
                  const AnalysisOptions& options, BatchQueue& queue) {
  try {
    VideoReader reader(video, index, range, {options.decoder_threads});
    for (std::int64_t frame = range.first; frame < range.end;) {
      DecodedBatch batch;
      for (; frame < range.end && static_cast<int>(batch.images.size()) < options.batch; ++frame) {
        batch.images.emplace_back();
        static_cast<void>(reader.next(batch.images.back()));
      }
      if (!queue.push(std::move(batch))) return;
    }
    queue.push({});
  } catch (...) {
    queue.push({{}, std::current_exception()});
  }
}

/// Ends the decoding thread also when the network throws.
struct CloseOnExit {
  BatchQueue& queue;
  ~CloseOnExit() { queue.close(); }
};

}  // namespace

RangeValues analyze_range(const std::filesystem::path& video, const VideoIndex& index, FrameRange range,
                          Predictor& predictor, const AnalysisOptions& options, const AnalysisProgress& progress) {
  RangeValues part{range, {}};
  BatchQueue queue(static_cast<std::size_t>(options.batches_ahead));
  const std::jthread decoder([&] { decode_range(video, index, range, options, queue); });
  const CloseOnExit close{queue};
  std::int64_t done = 0;
  for (;;) {
    const auto batch = queue.pop();
    if (!batch) throw data::FormatError("decoding stopped without a reason");
    if (batch->error) std::rethrow_exception(batch->error);
    if (batch->images.empty()) return part;
    for (const trainer::Prediction& point : predictor.predict(batch->images)) {
      part.values_FK3.push_back(static_cast<float>(point.x_px));
      part.values_FK3.push_back(static_cast<float>(point.y_px));
      part.values_FK3.push_back(static_cast<float>(point.likelihood));
    }
    done += static_cast<std::int64_t>(batch->images.size());
    if (progress) progress(done);
  }
}

std::string serialize_range(const RangeValues& part) {
  std::string bytes(sizeof part.range + part.values_FK3.size() * sizeof(float), '\0');
  std::memcpy(bytes.data(), &part.range, sizeof part.range);
  if (!part.values_FK3.empty())
    std::memcpy(bytes.data() + sizeof part.range, part.values_FK3.data(), part.values_FK3.size() * sizeof(float));
  return bytes;
}

RangeValues deserialize_range(const char* bytes, std::size_t size) {
  RangeValues part;
  if (size < sizeof part.range || (size - sizeof part.range) % sizeof(float) != 0)
    throw data::FormatError("predictions received from another rank are cut off");
  std::memcpy(&part.range, bytes, sizeof part.range);
  part.values_FK3.resize((size - sizeof part.range) / sizeof(float));
  if (!part.values_FK3.empty())
    std::memcpy(part.values_FK3.data(), bytes + sizeof part.range, part.values_FK3.size() * sizeof(float));
  return part;
}

}  // namespace ringpose::analysis
