#include "launch/synthetic_project.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "analysis/video_writer.hpp"
#include "data/atomic_file.hpp"
#include "data/collected_data_writer.hpp"
#include "data/error.hpp"
#include "data/synthetic_face.hpp"
#include "data/synthetic_labels.hpp"

namespace ringpose::launch {
namespace {

namespace fs = std::filesystem;

void check_name(const char* option, const std::string& name) {
  const auto allowed = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  if (name.empty() || !std::all_of(name.begin(), name.end(), allowed))
    throw data::ConfigError(fmt::format(
        "--{} is '{}', expected letters, digits and underscores: it becomes part of file names.", option, name));
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw data::IoError(data::io_message("create the folder", folder, error.value()));
}

/// The folder in which a project grows; removed with all its contents unless renamed by commit().
class GrowingFolder {
 public:
  explicit GrowingFolder(fs::path final_path)
      : final_path_(std::move(final_path)),
        path_(final_path_.parent_path() / fmt::format(".{}.{}.tmp", final_path_.filename().string(), ::getpid())) {
    make_folder(path_);
  }
  GrowingFolder(const GrowingFolder&) = delete;
  GrowingFolder& operator=(const GrowingFolder&) = delete;
  ~GrowingFolder() {
    std::error_code ignored;
    if (!committed_) fs::remove_all(path_, ignored);
  }
  [[nodiscard]] const fs::path& path() const { return path_; }
  void commit() {
    std::error_code error;
    fs::rename(path_, final_path_, error);
    if (error) throw data::IoError(data::io_message("rename the finished project to", final_path_, error.value()));
    committed_ = true;
  }

 private:
  fs::path final_path_;
  fs::path path_;
  bool committed_ = false;
};

void write_png(const fs::path& file, data::Image image) {
  const cv::Mat rgb(image.height_px, image.width_px, CV_8UC3, image.pixels_HWC.data());
  cv::Mat bgr;
  cv::cvtColor(rgb, bgr, cv::COLOR_RGB2BGR);
  std::vector<std::uint8_t> encoded;
  cv::imencode(".png", bgr, encoded);
  data::write_file_atomically(file, {reinterpret_cast<const char*>(encoded.data()), encoded.size()});
}

/// Draws every frame once: into the video, and into labeled-data where it was chosen.
void draw_frames(const SyntheticProjectOptions& options, const fs::path& video, const fs::path& labels_folder,
                 const std::vector<int>& chosen, const std::function<void(int)>& progress) {
  data::FacePainter painter{data::FaceMotion(options.video)};
  analysis::VideoWriterOptions writer_options;
  writer_options.width_px = options.video.width_px;
  writer_options.height_px = options.video.height_px;
  writer_options.fps = options.video.fps;
  writer_options.codec = options.codec;
  analysis::VideoWriter writer(video, writer_options);
  for (int frame = 0; frame < options.video.frames; ++frame) {
    const data::Image image = painter.draw(frame);
    writer.write(image);
    if (std::binary_search(chosen.begin(), chosen.end(), frame))
      write_png(labels_folder / data::extracted_image_name(frame, options.video.frames), image);
    progress(frame + 1);
  }
  writer.finish();
}

std::vector<int> count_missing(const data::LabelTable& table) {
  std::vector<int> missing(table.bodyparts.size(), 0);
  for (const data::LabelRow& row : table.rows)
    for (std::size_t part = 0; part < missing.size(); ++part)
      if (!row.keypoints[part].labelled()) ++missing[part];
  return missing;
}

void check_options(const SyntheticProjectOptions& options) {
  check_name("task", options.task);
  check_name("scorer", options.scorer);
  (void)dlc_date(options.date);
  options.video.validate();
}

}  // namespace

std::string ground_truth_csv(const std::vector<data::FaceTruth>& truth) {
  std::string csv = "frame,phase";
  for (const std::string& part : data::face_skeleton().bodyparts) csv += fmt::format(",{0}_x,{0}_y,{0}_visible", part);
  csv += "\n";
  for (std::size_t frame = 0; frame < truth.size(); ++frame) {
    csv += fmt::format("{},{}", frame, data::face_phase_name(truth[frame].phase));
    for (int part = 0; part < data::kFaceParts; ++part)
      csv += fmt::format(",{:.4f},{:.4f},{:d}", truth[frame].positions[part].x_px, truth[frame].positions[part].y_px,
                         truth[frame].visible[part] ? 1 : 0);
    csv += "\n";
  }
  return csv;
}

std::string dlc_date(const std::string& iso_date) {
  static constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                            "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  char rest = 0;
  const bool parsed = std::sscanf(iso_date.c_str(), "%4d-%2u-%2u%c", &year, &month, &day, &rest) == 3;
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month), std::chrono::day(day)};
  if (!parsed || iso_date.size() != 10 || !date.ok())
    throw data::ConfigError(fmt::format("--date is '{}', expected a date like 2026-07-01.", iso_date));
  return fmt::format("{}{}", kMonths[month - 1], day);
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  return fmt::format("{:04d}-{:02d}-{:02d}", local.tm_year + 1900, local.tm_mon + 1, local.tm_mday);
}

SyntheticProject write_synthetic_project(const SyntheticProjectOptions& options,
                                         const std::function<void(int)>& progress) {
  check_options(options);
  SyntheticProject project;
  const std::string name = fmt::format("{}-{}-{}", options.task, options.scorer, options.date);
  project.truth = data::FaceMotion(options.video).truth();
  project.labelled_frames = data::choose_labelled_frames(project.truth, options.labelled, options.video.seed);
  make_folder(options.parent);
  project.folder = fs::canonical(options.parent) / name;
  if (fs::exists(project.folder))
    throw data::ConfigError(
        fmt::format("the project {} exists already: remove it, or choose another folder, --task, --scorer or --date.",
                    project.folder.string()));
  const fs::path video = fs::path("videos") / (options.task + ".mp4");
  const fs::path labels = fs::path("labeled-data") / options.task;
  project.video = project.folder / video;
  project.ground_truth = project.folder / "ground-truth.csv";

  GrowingFolder growing(project.folder);
  for (const fs::path& folder : {fs::path("videos"), labels, fs::path("training-datasets"), fs::path("dlc-models")})
    make_folder(growing.path() / folder);
  draw_frames(options, growing.path() / video, growing.path() / labels, project.labelled_frames, progress);
  const auto table = data::face_label_table(project.truth, project.labelled_frames, options.task, options.scorer);
  project.missing_labels = count_missing(table);
  data::write_collected_data(growing.path() / labels, table);
  data::write_file_atomically(growing.path() / "ground-truth.csv", ground_truth_csv(project.truth));
  data::write_file_atomically(growing.path() / "config.yaml",
                              synthetic_config_yaml(options, project.folder, project.video));
  growing.commit();
  return project;
}

}  // namespace ringpose::launch
