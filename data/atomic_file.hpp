// A file that appears complete or not at all: written under a temporary name in its folder, synced, then renamed.
#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace ringpose::data {

/// Reserves a temporary file beside `path`. The caller writes to temporary_path() by any means, closes it, and calls
/// commit(). Not thread-safe; several processes may write the same path, the last commit wins.
class AtomicFile {
 public:
  /// Creates the empty temporary file `.<name>.<process id>.<counter>.tmp`. A symbolic link stays, its target is
  /// replaced. Throws IoError when the folder is missing, read-only or full, or when `path` is a folder, device,
  /// pipe, or a link to nothing.
  explicit AtomicFile(const std::filesystem::path& path);
  /// Removes the temporary file unless committed.
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] const std::filesystem::path& temporary_path() const { return temporary_path_; }
  /// Syncs the temporary file to disk and renames it to path(), replacing an older file. Throws IoError; the temporary
  /// file is then removed on destruction and an older file is left as it was.
  void commit();

 private:
  std::filesystem::path path_;
  std::filesystem::path temporary_path_;
  bool committed_ = false;
};

/// Interrupts and ends by signal (SIGINT, SIGTERM, SIGHUP) remove the temporary files of this process first. Call once.
void remove_temporary_files_on_signals();

/// Guards against a mistyped output name: throws IoError when a file is there that is not empty and of which `is_kind`
/// is false. `kind` completes "is no ...".
void require_replaceable(const std::filesystem::path& path, const char* kind,
                         const std::function<bool(const std::filesystem::path&)>& is_kind);

/// Writes `contents` to `path` through an AtomicFile. Throws IoError.
void write_file_atomically(const std::filesystem::path& path, std::string_view contents);

/// Text for an IoError: "cannot <action> <path>: <reason of errno> (<what to do>)".
[[nodiscard]] std::string io_message(std::string_view action, const std::filesystem::path& path, int error_number);

}  // namespace ringpose::data
