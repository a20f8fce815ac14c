// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/result.hpp"
#include "ctq/io/file_path.hpp"
#include "ctq/io/message.hpp"

// Atomic replacement of files. Data is written to an unnamed or temporary file in the same
// directory; when it is complete on disk, that file replaces the old one, which is not modified
// before.

namespace ctq {

/// A file to be replaced or created. Without commit() nothing changes.
class file_replacement {
 public:
  /// Follows symbolic links. Pipes, terminals and other special files are written directly.
  /// Errors  those of the system; the file is a directory, or is not writable
  [[nodiscard]] static result<file_replacement> open(const file_path& to) {
    if (const status ok = to.check(); !ok) return unexpected{ok.error()};
    const std::string& path = to.string();
    file_replacement file;
    struct stat old {};
    const bool exists = ::stat(path.c_str(), &old) == 0;
    if (!exists && errno != ENOENT) return failed(path, "cannot be opened", errno);
    if (exists && S_ISDIR(old.st_mode)) return failed(path, "cannot be written", EISDIR);
    if (exists && !S_ISREG(old.st_mode)) {
      file.fd_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
    } else {
      if (exists && ::access(path.c_str(), W_OK) != 0)
        return failed(path, "cannot be opened", errno);
      file.target_ = behind_links(path);
      file.is_beside_ = true;
      file.open_beside();
      // Copies the permissions of the old file, if allowed.
      if (file.fd_ >= 0 && exists) {
        [[maybe_unused]] const int mode = ::fchmod(file.fd_, old.st_mode & 07777);
        [[maybe_unused]] const int owner = ::fchown(file.fd_, old.st_uid, old.st_gid);
      }
    }
    if (file.fd_ < 0) return failed(path, "cannot be opened", errno);
    file.path_ = path;
    return file;
  }

  file_replacement(file_replacement&& other) noexcept
      : path_(std::move(other.path_)),
        target_(std::move(other.target_)),
        beside_(std::exchange(other.beside_, {})),
        fd_(std::exchange(other.fd_, -1)),
        is_beside_(other.is_beside_) {}
  file_replacement(const file_replacement&) = delete;
  file_replacement& operator=(const file_replacement&) = delete;
  file_replacement& operator=(file_replacement&&) = delete;
  ~file_replacement() {
    if (fd_ >= 0) ::close(fd_);
    if (!beside_.empty()) ::unlink(beside_.c_str());
  }

  /// Appends to the new file.
  /// Errors  those of the system; a full disk
  [[nodiscard]] status write(span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::write(fd_, bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return failed(path_, "cannot be written", count == 0 ? ENOSPC : errno);
      bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
    return done{};
  }

  /// Replaces the old file by the new one.
  /// Errors  as write
  [[nodiscard]] status commit() {
    const auto wrong = [this] { return failed(path_, "cannot be written", errno); };
    if (is_beside_ && ::fsync(fd_) != 0) return wrong();
    if (is_beside_ && !give_name()) return wrong();
    if (::close(std::exchange(fd_, -1)) != 0) return wrong();
    if (beside_.empty()) return done{};
    if (::rename(beside_.c_str(), target_.c_str()) != 0) return wrong();
    beside_.clear();
    sync_directory();
    return done{};
  }

 private:
  file_replacement() = default;

  [[nodiscard]] static unexpected failed(const std::string& path, std::string_view what,
                                         int reason) {
    const std::error_code code{reason, std::generic_category()};
    return fail(path, sentence(what, ": ", code.message()));
  }

  /// The directory of a file, with the slash after it; empty if the name has none.
  static std::string directory_of(const std::string& path) {
    return path.substr(0, path.rfind('/') + 1);
  }

  /// Resolves symbolic links, even if the target does not exist yet.
  static std::string behind_links(std::string path) {
    char to[4096];
    for (int links = 0; links < 40; ++links) {
      const ssize_t count = ::readlink(path.c_str(), to, sizeof(to));
      if (count <= 0 || count == sizeof(to)) break;  // no link, or longer than any path
      const std::string target(to, static_cast<std::size_t>(count));
      path = target.front() == '/' ? target : directory_of(path) + target;
    }
    return path;
  }

  [[nodiscard]] std::string directory() const {
    std::string name = directory_of(target_);
    return name.empty() ? "." : name;
  }

  /// An unused name in the directory.
  [[nodiscard]] std::string name_beside(int attempt) const {
    return sentence(directory_of(target_), ".ctq-", static_cast<long>(::getpid()), "-", attempt,
                    ".tmp");
  }
  static constexpr int attempts = 1000;

  /// An unnamed file cannot be left behind if the program is killed. Not all file systems support
  /// it; it is named later through /proc.
  void open_beside() {
#ifdef O_TMPFILE
    if (::access("/proc/self/fd", X_OK) == 0)
      fd_ = ::open(directory().c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
#endif
    for (int i = 0; fd_ < 0 && i < attempts; ++i) {
      std::string name = name_beside(i);
      fd_ = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (fd_ >= 0) beside_ = std::move(name);
      if (fd_ < 0 && errno != EEXIST) return;
    }
  }

  /// Gives an unnamed file its final name if that is unused, else a temporary one.
  bool give_name() {
    if (!beside_.empty()) return true;
    const std::string open_file = sentence("/proc/self/fd/", fd_);
    const auto link = [&open_file](const std::string& to) {
      return ::linkat(AT_FDCWD, open_file.c_str(), AT_FDCWD, to.c_str(), AT_SYMLINK_FOLLOW) == 0;
    };
    if (link(target_)) return sync_directory(), true;
    for (int i = 0; errno == EEXIST && i < attempts; ++i) {
      std::string name = name_beside(i);
      if (!link(name)) continue;
      beside_ = std::move(name);
      return true;
    }
    return false;
  }

  /// Makes the new name durable, where the file system supports it.
  void sync_directory() const {
    const int fd = ::open(directory().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return;
    ::fsync(fd);
    ::close(fd);
  }

  std::string path_;    // as it was given
  std::string target_;  // after resolving links
  std::string beside_;  // the new file, while it has a temporary name
  int fd_ = -1;
  bool is_beside_ = false;
};

}  // namespace ctq
