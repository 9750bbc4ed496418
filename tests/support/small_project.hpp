// A DeepLabCut project of a few small images, written by hand (not by ringpose's own writers), to be damaged by tests.
#pragma once
#include <filesystem>
#include <fstream>
#include <iterator>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <string>

namespace ringpose::tests {

inline void write_text(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Replaces the first `from` in a file; returns whether it was there.
inline bool replace_in_file(const std::filesystem::path& path, const std::string& from, const std::string& to) {
  std::string text = read_text(path);
  const auto position = text.find(from);
  if (position == std::string::npos) return false;
  write_text(path, text.replace(position, from.size(), to));
  return true;
}

/// A pixel of the test images: channels differ, and so do neighbours.
inline cv::Vec3b test_pixel_bgr(int x, int y) {
  return {static_cast<unsigned char>(x), static_cast<unsigned char>(y * 2), static_cast<unsigned char>(200 - x - y)};
}

inline void write_image(const std::filesystem::path& path, int width, int height) {
  cv::Mat image(height, width, CV_8UC3);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) image.at<cv::Vec3b>(y, x) = test_pixel_bgr(x, y);
  cv::imwrite(path.string(), image);
}

/// Rows in DeepLabCut's order: a/img1.png, a/img2.png (40x30), b/img10.png, b/img9.png (24x50). Video a has one index
/// column with backslashes and the bodyparts in another order, video b three index columns and the tail of img9
/// missing.
inline std::filesystem::path write_small_project(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  fs::path project = folder / "reach-Ada-2024-05-06";
  fs::create_directories(project / "labeled-data" / "a");
  fs::create_directories(project / "labeled-data" / "b");
  write_text(
      project / "config.yaml",
      "Task: reach\nscorer: Ada\ndate: May6\nmultianimalproject: false\nidentity:\nproject_path: /moved/since\nengine: "
      "pytorch\n"
      "video_sets:\n  /videos/a.mp4:\n    crop: 0, 40, 0, 30\n  C:\\videos\\b.avi:\n    crop: 0, 24, 0, 50\n"
      "bodyparts:\n- nose\n- tail\nskeleton:\n- - nose\n  - tail\nskeleton_color: white\npcutoff: 0.35\ndotsize: 5\n"
      "alphavalue: 0.25\ncolormap: viridis\nTrainingFraction:\n- 0.5\n- 0.95\niteration: 3\n");
  write_text(project / "labeled-data" / "a" / "CollectedData_Ada.csv",
             "scorer,Ada,Ada,Ada,Ada\nbodyparts,tail,tail,nose,nose\ncoords,x,y,x,y\n"
             "labeled-data\\a\\img2.png,3.5,4.25,20.125,10.1\nlabeled-data\\a\\img1.png,1,2,0.1,29.9\n");
  write_text(project / "labeled-data" / "b" / "CollectedData_Ada.csv",
             "scorer,,,Ada,Ada,Ada,Ada\nbodyparts,,,nose,nose,tail,tail\ncoords,,,x,y,x,y\n"
             "labeled-data,b,img10.png,5.0,49.5,6.0,7.0\nlabeled-data,b,img9.png,8.0,9.0,,\n");
  for (const char* name : {"a/img1.png", "a/img2.png"}) write_image(project / "labeled-data" / name, 40, 30);
  for (const char* name : {"b/img9.png", "b/img10.png"}) write_image(project / "labeled-data" / name, 24, 50);
  return project;
}

}  // namespace ringpose::tests
