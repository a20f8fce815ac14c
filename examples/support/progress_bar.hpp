// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

// The progress of a long operation. On a terminal a line on stderr that is updated, with the
// remaining time; otherwise, such as in a log, one line at the end.

namespace demo {

class progress_bar {
 public:
  progress_bar(std::string label, std::size_t total) : label_(std::move(label)), total_(total) {}
  progress_bar(const progress_bar&) = delete;
  progress_bar& operator=(const progress_bar&) = delete;

  ~progress_bar() {
    std::fprintf(stderr, "%s%s: %zu in %.1f s\n", terminal_ ? "\r\033[K" : "", label_.c_str(),
                 done_, elapsed());
  }

  void advance(std::size_t steps = 1) {
    done_ += steps;
    if (!terminal_ || elapsed() < next_draw_) return;
    next_draw_ = elapsed() + 0.1;
    draw();
  }

 private:
  using clock = std::chrono::steady_clock;

  [[nodiscard]] double elapsed() const {
    return std::chrono::duration<double>(clock::now() - start_).count();
  }

  void draw() const {
    constexpr int width = 30;
    const double part =
        total_ == 0 ? 1.0 : std::min(1.0, static_cast<double>(done_) / static_cast<double>(total_));
    const double left = part > 0 ? elapsed() * (1 - part) / part : 0;
    const int full = static_cast<int>(part * width);
    const std::string bar(static_cast<std::size_t>(full), '=');
    std::fprintf(stderr, "\r\033[K%s [%s%-*s%s] %3.0f %%, %.0f s left", label_.c_str(),
                 color_ ? "\033[32m" : "", width, bar.c_str(), color_ ? "\033[0m" : "", part * 100,
                 left);
    std::fflush(stderr);
  }

  [[nodiscard]] static bool wants_color() {  // https://no-color.org
    const char* no_color = std::getenv("NO_COLOR");
    return no_color == nullptr || *no_color == '\0';
  }

  std::string label_;
  std::size_t total_;
  std::size_t done_ = 0;
  bool terminal_ = isatty(STDERR_FILENO) != 0;
  bool color_ = wants_color();
  clock::time_point start_ = clock::now();
  double next_draw_ = 0;  // seconds after start
};

}  // namespace demo
