// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "read_text.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "ctq/core/result.hpp"
#include "ctq/json/backend_file.hpp"
#include "terminal.hpp"

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

/// Waits for a program that writes into this pipe, with a time limit, since a pipe without a writer
/// never ends. Appends the first bytes.
///   fd  does not block
bool wait_for_writer(int fd, std::string& text) {
  using namespace std::chrono_literals;
  for (auto waited = 0ms; waited < 5s; waited += 20ms) {
    char first = 0;
    const ssize_t n = ::read(fd, &first, 1);
    if (n > 0) return text += first, true;
    if (n < 0) return errno == EAGAIN;  // it has a writer
    std::this_thread::sleep_for(20ms);
  }
  return false;
}

/// Makes reads block.
void make_blocking(int fd) { ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) & ~O_NONBLOCK); }

ctq::result<std::string> read_all(int fd, const std::string& path, std::string text = {}) {
  char piece[1 << 16];
  while (text.size() <= ctq::json::max_text) {
    const std::size_t space_left = ctq::json::max_text + 1 - text.size();
    const ssize_t n = ::read(fd, piece, space_left < sizeof piece ? space_left : sizeof piece);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return failed(path);
    if (n == 0) return text;
    text.append(piece, static_cast<std::size_t>(n));
  }
  return ctq::fail(path, "longer than 4 MiB, the limit for specs and models");
}

ctq::result<std::string> text_of(const std::string& path) {
  if (path == "-") return read_all(STDIN_FILENO, path);
  // Opening a pipe does not wait this way; for files it makes no difference.
  const descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (file.get() < 0) return failed(path);
  struct stat about {};
  if (::fstat(file.get(), &about) != 0) return failed(path);
  if (S_ISDIR(about.st_mode)) return ctq::fail(path, "is a directory");
  std::string text;
  if (S_ISFIFO(about.st_mode) && !wait_for_writer(file.get(), text))
    return ctq::fail(path, "is a pipe that no program writes to");
  make_blocking(file.get());
  return read_all(file.get(), path, std::move(text));
}

}  // namespace

std::optional<std::string> read_text(const std::string& path) {
  auto text = text_of(path);
  if (text) return *std::move(text);
  complain("{}", text.error().message());
  return {};
}

}  // namespace tool
