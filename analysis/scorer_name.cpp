#include "analysis/scorer_name.hpp"

#include <fmt/format.h>

namespace ringpose::analysis {
namespace {

char upper(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}
char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// resnet_50 becomes Resnet50: each part between underscores with a capital first and small letters after.
std::string camel_case(const std::string& net_type) {
  std::string name;
  bool start = true;
  for (const char c : net_type) {
    if (c != '_') name += start ? upper(c) : lower(c);
    start = c == '_';
  }
  return name;
}

}  // namespace

std::string snapshot_uid(std::int64_t epoch, bool best) {
  return fmt::format("{}{}", best ? "best-" : "", epoch);
}

std::string scorer_name(const std::string& net_type, const data::ProjectFacts& project, const std::string& uid) {
  return fmt::format("DLC_{}_{}{}shuffle{}_snapshot_{}", camel_case(net_type), project.task, project.date,
                     project.shuffle, uid);
}

std::filesystem::path output_path(const std::filesystem::path& video, const std::filesystem::path& folder,
                                  const std::string& scorer, const std::string& ending) {
  const auto& parent = folder.empty() ? video.parent_path() : folder;
  return parent / (video.stem().string() + scorer + ending);
}

std::string labelled_ending(double pcutoff) {
  return fmt::format("_p{}_labeled.mp4", static_cast<int>(100 * pcutoff));
}

}  // namespace ringpose::analysis
