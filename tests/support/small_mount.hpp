// Disks that cannot be written: a tiny tmpfs, or a read-only bind mount (root does not care for permissions).
#pragma once
#include <sys/mount.h>

#include <filesystem>
#include <string>

namespace ringpose::tests {

/// Mounted over a folder while alive. mounted() is false where mounting is not permitted: skip the test, with a
/// message.
class SmallMount {
 public:
  enum class Kind {
    kFull,      ///< a tmpfs of 64 KiB
    kReadOnly,  ///< the folder itself, read-only
  };

  SmallMount(std::filesystem::path folder, Kind kind) : folder_(std::move(folder)) {
    const char* const target = folder_.c_str();
    if (kind == Kind::kFull) {
      mounted_ = ::mount("tmpfs", target, "tmpfs", 0, "size=64k") == 0;
      return;
    }
    mounted_ = ::mount(target, target, nullptr, MS_BIND, nullptr) == 0;
    if (mounted_ && ::mount(nullptr, target, nullptr, MS_BIND | MS_REMOUNT | MS_RDONLY, nullptr) != 0) {
      ::umount(target);
      mounted_ = false;
    }
  }
  SmallMount(const SmallMount&) = delete;
  SmallMount& operator=(const SmallMount&) = delete;
  ~SmallMount() {
    if (mounted_) ::umount2(folder_.c_str(), MNT_DETACH);
  }
  [[nodiscard]] bool mounted() const { return mounted_; }

 private:
  std::filesystem::path folder_;
  bool mounted_ = false;
};

}  // namespace ringpose::tests
