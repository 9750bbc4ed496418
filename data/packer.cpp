#include "data/packer.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <map>
#include <nlohmann/json.hpp>
#include <opencv2/core/version.hpp>
#include <sstream>

#include "data/atomic_file.hpp"
#include "data/crc32c.hpp"
#include "data/dlc_project.hpp"
#include "data/error.hpp"
#include "data/file_bytes.hpp"
#include "data/packed_file.hpp"
#include "data/packed_index.hpp"
#include "data/packed_writer.hpp"
#include "data/sha256.hpp"

namespace ringpose::data {
namespace {

namespace fs = std::filesystem;

std::string image_name_of(const LabelRow& row) {
  return "labeled-data/" + row.folder + "/" + row.image_name;
}

std::vector<std::uint8_t> read_image_file(const DlcProject& project, const LabelRow& row) {
  const fs::path path = project.folder / image_name_of(row);
  if (!fs::exists(path))
    throw ProjectError("the image " + path.string() + " is missing; it is labelled in " + row.source +
                       ". Restore the image or remove the row.");
  return read_file_bytes(path);
}

/// The bytes to store for an image, and how.
struct Payload {
  Codec codec = Codec::kRaw;
  std::vector<std::uint8_t> bytes;
};

Payload encode(const CodecPolicy& policy, std::vector<std::uint8_t> file_bytes, Image image) {
  if (policy.kind == CodecPolicy::Kind::kJpeg) return {Codec::kJpeg, encode_jpeg(image, policy.jpeg_quality)};
  const auto detected = detect_codec(file_bytes);
  if (policy.kind == CodecPolicy::Kind::kPassthrough && detected) return {*detected, std::move(file_bytes)};
  return {Codec::kRaw, std::move(image.pixels_HWC)};
}

/// Frame number in names such as img0042.png; -1 when there is none.
std::int64_t frame_number(const std::string& image_name) {
  const std::string stem = fs::path(image_name).stem().string();
  const auto digits = stem.find_last_not_of("0123456789") + 1;  // npos + 1 is 0
  if (digits == stem.size() || stem.size() - digits > 18) return -1;
  return std::stoll(stem.substr(digits));
}

std::string utc_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

nlohmann::ordered_json optional_json(const std::optional<std::string>& text) {
  return text ? nlohmann::ordered_json(*text) : nlohmann::ordered_json(nullptr);
}

/// One packing: the checking pass fills the index, the writing pass the file.
class Packer {
 public:
  explicit Packer(const PackOptions& options)
      : options_(options), project_(read_dlc_project(options.project)), labels_(read_project_labels(project_)) {}

  PackReport run() {
    if (options_.shuffle < 0)
      throw ConfigError("the shuffle is " + std::to_string(options_.shuffle) + ", expected a number from 0.");
    choose_split();
    check_output();
    const auto total = static_cast<std::int64_t>(rows().size());
    for (const LabelRow& row : rows()) {
      check_image(row);
      if (options_.progress) options_.progress(static_cast<std::int64_t>(index_.size()), total);
    }
    refuse_outside_labels();
    set_video_sizes();
    write();
    return report();
  }

 private:
  [[nodiscard]] const std::vector<LabelRow>& rows() const { return labels_.table.rows; }

  void choose_split() {
    const auto n = static_cast<std::int64_t>(rows().size());
    index_.project = project_.facts;
    index_.project.shuffle = options_.shuffle;
    if (options_.train_rows || options_.test_rows) {
      index_.split = chosen_split(options_.train_rows, options_.test_rows, n);
      const auto train = static_cast<double>(index_.split.train.size());
      // DeepLabCut names shuffles with chosen rows by the fraction that came out, in two decimals.
      index_.project.train_fraction =
          std::round(100.0 * train / (train + static_cast<double>(index_.split.test.size()))) / 100.0;
    } else {
      index_.split = random_split(n, project_.facts.train_fraction, options_.seed);
    }
  }

  /// A wrong output is told before minutes of reading.
  void check_output() const { const AtomicFile probe(options_.output); }

  void check_image(const LabelRow& row) {
    std::vector<std::uint8_t> file_bytes = read_image_file(project_, row);
    const Sha256::Digest digest = sha256(file_bytes);
    std::optional<Image> image = decode_image(file_bytes);
    if (!image)
      throw ProjectError(
          "the image " + (project_.folder / image_name_of(row)).string() +
          " cannot be decoded: it is damaged, cut off, or of a format that OpenCV does not know. It is labelled in " +
          row.source + ".");
    index_.height.push_back(static_cast<std::uint32_t>(image->height_px));
    index_.width.push_back(static_cast<std::uint32_t>(image->width_px));
    index_.channels.push_back(3);
    add_labels(row, *image);
    const Payload payload = encode(options_.codec, std::move(file_bytes), std::move(*image));
    index_.offset.push_back(blob_bytes_);
    index_.nbytes.push_back(payload.bytes.size());
    index_.codec.push_back(static_cast<std::uint8_t>(payload.codec));
    index_.crc32c.push_back(crc32c(payload.bytes));
    blob_bytes_ += aligned_sample_bytes(payload.bytes.size());
    index_.image_name.push_back(image_name_of(row));
    index_.frame_index.push_back(frame_number(row.image_name));
    index_.src_sha256_N32.insert(index_.src_sha256_N32.end(), digest.begin(), digest.end());
    if (index_.video_name.empty() || index_.video_name.back() != row.folder) index_.video_name.push_back(row.folder);
    index_.video_id.push_back(static_cast<std::int32_t>(index_.video_name.size() - 1));
  }

  void add_labels(const LabelRow& row, const Image& image) {
    for (std::size_t part = 0; part < row.keypoints.size(); ++part) {
      Keypoint keypoint = row.keypoints[part];
      const bool inside =
          keypoint.x_px > 0 && keypoint.x_px < image.width_px && keypoint.y_px > 0 && keypoint.y_px < image.height_px;
      if (keypoint.labelled() && !inside) {
        if (dropped_.empty()) first_outside_ = outside_text(row, part, image);
        dropped_.push_back({image_name_of(row), labels_.table.bodyparts[part], keypoint.x_px, keypoint.y_px});
        keypoint = Keypoint{};
      }
      index_.xy_NK2.insert(index_.xy_NK2.end(), {keypoint.x_px, keypoint.y_px});
      index_.visibility_NK.push_back(keypoint.labelled() ? 2 : 0);
    }
  }

  [[nodiscard]] std::string outside_text(const LabelRow& row, std::size_t part, const Image& image) const {
    std::ostringstream text;
    text << "the label of '" << labels_.table.bodyparts[part] << "' in " << image_name_of(row)
         << " is at x = " << row.keypoints[part].x_px << ", y = " << row.keypoints[part].y_px
         << ", outside the image of " << image.width_px << " x " << image.height_px << " pixels (" << row.source << ")";
    return text.str();
  }

  void refuse_outside_labels() const {
    if (dropped_.empty() || options_.outside == OutsideLabels::kDrop) return;
    const std::string others = dropped_.size() > 1
                                   ? ", and " + std::to_string(dropped_.size() - 1) + " more labels are outside theirs"
                                   : std::string();
    throw ProjectError(
        first_outside_ + others +
        ". Correct the labels, or pack with --outside drop to take them as missing, as DeepLabCut does.");
  }

  /// The common image size of each video, 0 when its images differ.
  void set_video_sizes() {
    index_.video_height.assign(index_.video_name.size(), -1);
    index_.video_width.assign(index_.video_name.size(), -1);
    for (std::size_t i = 0; i < index_.size(); ++i) {
      auto& height = index_.video_height[static_cast<std::size_t>(index_.video_id[i])];
      auto& width = index_.video_width[static_cast<std::size_t>(index_.video_id[i])];
      const bool same = (height == static_cast<std::int32_t>(index_.height[i]) &&
                         width == static_cast<std::int32_t>(index_.width[i]));
      if (height == -1 || same) {
        height = static_cast<std::int32_t>(index_.height[i]);
        width = static_cast<std::int32_t>(index_.width[i]);
      } else {
        height = width = 0;
      }
    }
  }

  void write() {
    PackedWriter writer(options_.output, blob_bytes_);
    for (std::size_t i = 0; i < index_.size(); ++i) {
      std::vector<std::uint8_t> bytes = read_image_file(project_, rows()[i]);
      const Sha256::Digest digest = sha256(bytes);
      if (!std::equal(digest.begin(), digest.end(), index_.src_sha256_N32.data() + digest.size() * i))
        throw ProjectError("the image " + (project_.folder / image_name_of(rows()[i])).string() +
                           " changed while the project was packed. Pack again.");
      writer.write_sample(index_.offset[i], stored_bytes(std::move(bytes)));
    }
    writer.finish(index_, codec_policy_text(options_.codec), provenance());
  }

  /// The same bytes that encode() gave in the checking pass, without decoding where that is not needed.
  [[nodiscard]] std::vector<std::uint8_t> stored_bytes(std::vector<std::uint8_t> file_bytes) const {
    if (options_.codec.kind == CodecPolicy::Kind::kPassthrough && detect_codec(file_bytes)) return file_bytes;
    Image image = decode_image(file_bytes).value();
    return encode(options_.codec, std::move(file_bytes), std::move(image)).bytes;
  }

  [[nodiscard]] std::string provenance() const {
    nlohmann::ordered_json json{{"program", options_.program},
                                {"command", options_.command_line},
                                {"created_utc", utc_now()},
                                {"opencv", CV_VERSION},
                                {"project_folder", fs::absolute(project_.folder).lexically_normal().string()},
                                {"config_yaml", project_.config_text},
                                {"codec", codec_policy_text(options_.codec)},
                                {"outside_labels", options_.outside == OutsideLabels::kDrop ? "drop" : "refuse"},
                                {"notes", labels_.notes}};
    json["split"] = {{"train_rows", optional_json(options_.train_rows)},
                     {"test_rows", optional_json(options_.test_rows)}};
    if (!options_.train_rows && !options_.test_rows) json["split"]["seed"] = options_.seed;
    for (const fs::path& file : labels_.files)
      json["label_files"].push_back(file.lexically_relative(project_.folder).string());
    json["dropped_labels"] = nlohmann::ordered_json::array();
    for (const DroppedLabel& label : dropped_)
      json["dropped_labels"].push_back(
          {{"image", label.image_name}, {"bodypart", label.bodypart}, {"x_px", label.x_px}, {"y_px", label.y_px}});
    // Old projects hold names in other encodings than UTF-8, which JSON cannot.
    return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  }

  [[nodiscard]] PackReport report() const {
    PackReport report;
    report.project = index_.project;
    report.frames = static_cast<std::int64_t>(index_.size());
    report.split = index_.split;
    report.dropped = dropped_;
    report.notes = labels_.notes;
    report.content_digest = content_digest(index_);
    report.file_bytes = fs::file_size(options_.output);
    count_videos_and_sizes(report);
    const std::size_t parts = labels_.table.bodyparts.size();
    for (std::size_t part = 0; part < parts; ++part) {
      PartCount count{labels_.table.bodyparts[part], 0, 0};
      for (std::size_t i = part; i < index_.visibility_NK.size(); i += parts)
        ++(index_.visibility_NK[i] != 0 ? count.labelled : count.missing);
      report.parts.push_back(count);
    }
    return report;
  }

  void count_videos_and_sizes(PackReport& report) const {
    for (const std::string& name : index_.video_name) report.videos.push_back({name, 0});
    std::map<std::pair<int, int>, std::int64_t> sizes;
    for (std::size_t i = 0; i < index_.size(); ++i) {
      ++report.videos[static_cast<std::size_t>(index_.video_id[i])].frames;
      ++sizes[{static_cast<int>(index_.width[i]), static_cast<int>(index_.height[i])}];
    }
    for (const auto& [size, frames] : sizes) report.image_sizes.push_back({size.first, size.second, frames});
  }

  const PackOptions& options_;
  DlcProject project_;
  ProjectLabels labels_;
  PackedIndex index_;
  std::uint64_t blob_bytes_ = 0;
  std::vector<DroppedLabel> dropped_;
  std::string first_outside_;
};

}  // namespace

PackReport pack_project(const PackOptions& options) {
  require_replaceable(options.output, "packed file", [](const fs::path& path) {
    try {
      static_cast<void>(read_packed_file(path));
      return true;
    } catch (const FormatError&) {
      return false;
    }
  });
  return Packer(options).run();
}

}  // namespace ringpose::data
