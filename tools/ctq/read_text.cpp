// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "read_text.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "ctq/core/result.hpp"
#include "ctq/json/backend_file.hpp"

namespace tool {

namespace {

/// An open file, closed at the end; standard input stays open.
class descriptor {
 public:
  explicit descriptor(int fd) : fd_(fd) {}
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  ~descriptor() {
    if (fd_ > STDIN_FILENO) ::close(fd_);
  }

  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

ctq::unexpected failed(const std::string& path) { return ctq::fail(path, std::strerror(errno)); }

/// Is there a program that writes into this pipe, or will there be one within a second? A pipe that
/// nobody has opened would keep a reader waiting for ever.
bool has_writer(int fd) {
  char nothing = 0;
  if (::read(fd, &nothing, 0) < 0) return false;
  pollfd wait{fd, POLLIN, 0};
  return ::poll(&wait, 1, 1000) > 0;
}

/// Waits for what is read from now on.
void make_blocking(int fd) { ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) & ~O_NONBLOCK); }

ctq::result<std::string> read_all(int fd, const std::string& path) {
  std::string text;
  char piece[1 << 16];
  while (text.size() <= ctq::json::max_text) {
    const std::size_t room = ctq::json::max_text + 1 - text.size();
    const ssize_t n = ::read(fd, piece, room < sizeof piece ? room : sizeof piece);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return failed(path);
    if (n == 0) return text;
    text.append(piece, static_cast<std::size_t>(n));
  }
  return ctq::fail(path, "longer than 4 MiB, which no spec is");
}

ctq::result<std::string> text_of(const std::string& path) {
  if (path == "-") return read_all(STDIN_FILENO, path);
  // Opening a pipe does not wait this way; for files it makes no difference.
  const descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (file.get() < 0) return failed(path);
  struct stat about {};
  if (::fstat(file.get(), &about) != 0) return failed(path);
  if (S_ISDIR(about.st_mode)) return ctq::fail(path, "is a directory");
  if (S_ISFIFO(about.st_mode) && !has_writer(file.get()))
    return ctq::fail(path, "is a pipe that nothing comes out of");
  make_blocking(file.get());
  return read_all(file.get(), path);
}

}  // namespace

std::optional<std::string> read_text(const std::string& path) {
  auto text = text_of(path);
  if (text) return *std::move(text);
  fmt::print(stderr, "ctq: {}\n", text.error().message());
  return {};
}

}  // namespace tool
