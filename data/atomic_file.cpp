#include "data/atomic_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "data/error.hpp"

namespace ringpose::data {
namespace {

namespace fs = std::filesystem;

/// Owns a POSIX file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  [[nodiscard]] int get() const { return value_; }
  [[nodiscard]] bool valid() const { return value_ >= 0; }
  /// Some file systems report a failed write only here. Returns errno, or 0.
  [[nodiscard]] int close() { return ::close(std::exchange(value_, -1)) == 0 ? 0 : errno; }

 private:
  int value_;
};

const char* advice(int error_number) {
  switch (error_number) {
    case ENOSPC:
    case EDQUOT:
      return "free some space or write to another disk";
    case EROFS:
      return "the file system is mounted read-only; write somewhere else";
    case EACCES:
    case EPERM:
      return "check the permissions of the file and its folder";
    case ENOENT:
      return "check the name; the folder it stands in must exist";
    case EISDIR:
      return "give the name of a file";
    default:
      return nullptr;
  }
}

fs::path temporary_name(const fs::path& path) {
  static std::atomic<unsigned> counter{0};
  std::string name(1, '.');
  name.append(path.filename().string()).append(".").append(std::to_string(::getpid()));
  name.append(".").append(std::to_string(counter++)).append(".tmp");
  return path.parent_path() / name;
}

void write_all(int descriptor, std::string_view contents, const fs::path& path) {
  while (!contents.empty()) {
    const ssize_t written = ::write(descriptor, contents.data(), contents.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      throw IoError(io_message("write", path, errno));
    }
    contents.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// Makes the rename itself durable; file systems that cannot sync a folder are left alone.
void sync_folder(const fs::path& folder) {
  const Descriptor descriptor(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor.valid()) ::fsync(descriptor.get());
}

}  // namespace

std::string io_message(std::string_view action, const fs::path& path, int error_number) {
  std::string message = "cannot " + std::string(action) + " " + path.string() + ": " + std::strerror(error_number);
  if (const char* text = advice(error_number)) message += std::string(" (") + text + ")";
  return message;
}

AtomicFile::AtomicFile(fs::path path) : path_(std::move(path)), temporary_path_(temporary_name(path_)) {
  if (path_.filename().empty() || fs::is_directory(path_)) throw IoError(io_message("write", path_, EISDIR));
  const Descriptor descriptor(::open(temporary_path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!descriptor.valid()) throw IoError(io_message("write", path_, errno));
}

AtomicFile::~AtomicFile() {
  if (!committed_) ::unlink(temporary_path_.c_str());
}

void AtomicFile::commit() {
  Descriptor descriptor(::open(temporary_path_.c_str(), O_RDWR | O_CLOEXEC));
  if (!descriptor.valid() || ::fsync(descriptor.get()) != 0) throw IoError(io_message("write", path_, errno));
  if (const int error_number = descriptor.close()) throw IoError(io_message("write", path_, error_number));
  if (::rename(temporary_path_.c_str(), path_.c_str()) != 0) throw IoError(io_message("write", path_, errno));
  committed_ = true;
  sync_folder(path_.parent_path());
}

void write_file_atomically(const fs::path& path, std::string_view contents) {
  AtomicFile file(path);
  Descriptor descriptor(::open(file.temporary_path().c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
  if (!descriptor.valid()) throw IoError(io_message("write", path, errno));
  write_all(descriptor.get(), contents, path);
  if (const int error_number = descriptor.close()) throw IoError(io_message("write", path, error_number));
  file.commit();
}

}  // namespace ringpose::data
