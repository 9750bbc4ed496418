#include "data/atomic_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <tuple>
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

/// Where a symbolic link leads, so that the link stays. Refuses folders and what is no regular file (devices, pipes): a
/// rename would replace it.
fs::path regular_target(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (path.filename().empty() || fs::is_directory(status)) throw IoError(io_message("write", path, EISDIR));
  const bool link = fs::is_symlink(fs::symlink_status(path, error));
  if (link && !fs::exists(status))
    throw IoError("cannot write " + path.string() + ": it is a link to " + fs::read_symlink(path, error).string() +
                  ", which is not there (remove the link, or choose another name)");
  if (!fs::exists(status)) return path;
  if (!fs::is_regular_file(status))
    throw IoError("cannot write " + path.string() + ": it is no regular file (give the name of a file)");
  return link ? fs::canonical(path) : path;
}

/// Names of the temporary files that exist, where a signal handler can read them. Beyond the last slot a file is simply
/// not listed.
struct Slot {
  enum State : int { kFree, kTaken, kListed };
  std::atomic<int> state{kFree};
  std::array<char, 4096> name{};
};
std::array<Slot, 16> slots;

void list_name(const std::string& name) {
  if (name.size() >= std::tuple_size_v<decltype(Slot::name)>) return;
  for (Slot& slot : slots) {
    int expected = Slot::kFree;
    if (!slot.state.compare_exchange_strong(expected, Slot::kTaken)) continue;
    std::copy(name.begin(), name.end(), slot.name.begin());
    slot.name[name.size()] = '\0';
    slot.state.store(Slot::kListed);
    return;
  }
}

void unlist_name(const std::string& name) {
  for (Slot& slot : slots)
    if (slot.state.load() == Slot::kListed && name == slot.name.data()) slot.state.store(Slot::kFree);
}

/// Calls async-signal-safe functions alone.
void remove_listed_and_end(int signal_number) {
  for (const Slot& slot : slots)
    if (slot.state.load() == Slot::kListed) ::unlink(slot.name.data());
  ::signal(signal_number, SIG_DFL);
  ::raise(signal_number);
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

void remove_temporary_files_on_signals() {
  struct sigaction action {};
  action.sa_handler = remove_listed_and_end;
  for (const int signal_number : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(signal_number, &action, nullptr);
}

void require_replaceable(const fs::path& path, const char* kind, const std::function<bool(const fs::path&)>& is_kind) {
  std::error_code error;
  const fs::path target = regular_target(path);
  const auto bytes = fs::file_size(target, error);
  if (error || bytes == 0 || is_kind(target)) return;
  throw IoError("cannot write " + path.string() + ": the file there is no " + kind +
                " and would be lost (choose another name, or remove it)");
}

AtomicFile::AtomicFile(const fs::path& path) : path_(regular_target(path)), temporary_path_(temporary_name(path_)) {
  list_name(temporary_path_.string());
  const Descriptor descriptor(::open(temporary_path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (descriptor.valid()) return;
  const int error_number = errno;
  unlist_name(temporary_path_.string());
  throw IoError(io_message("write", path_, error_number));
}

AtomicFile::~AtomicFile() {
  if (committed_) return;
  ::unlink(temporary_path_.c_str());
  unlist_name(temporary_path_.string());
}

void AtomicFile::commit() {
  Descriptor descriptor(::open(temporary_path_.c_str(), O_RDWR | O_CLOEXEC));
  if (!descriptor.valid() || ::fsync(descriptor.get()) != 0) throw IoError(io_message("write", path_, errno));
  if (const int error_number = descriptor.close()) throw IoError(io_message("write", path_, error_number));
  if (::rename(temporary_path_.c_str(), path_.c_str()) != 0) throw IoError(io_message("write", path_, errno));
  committed_ = true;
  unlist_name(temporary_path_.string());
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
