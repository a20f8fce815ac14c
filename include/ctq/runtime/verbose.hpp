// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <string_view>

// The environment variable CTQ_VERBOSE, as oneDNN has one: with 1, every run of a model, int8
// or float, writes a line a step to the standard error. A line leaves in one write(2), whole
// however many threads there are, and without iostreams, which would run code when the program
// starts.

namespace ctq::verbose {

/// -1: not looked at yet.
inline constinit std::atomic<signed char> state{-1};

[[gnu::cold, gnu::noinline]] inline bool look() noexcept {
  const char* const value = std::getenv("CTQ_VERBOSE");
  const bool asked = value != nullptr && *value != '\0' && std::string_view{value} != "0";
  state.store(asked ? 1 : 0, std::memory_order_relaxed);
  return asked;
}

/// Asked once a run: a load and a branch.
[[nodiscard, gnu::always_inline]] inline bool on() noexcept {
  const signed char known = state.load(std::memory_order_relaxed);
  if (known == 0) [[likely]]
    return false;
  return known > 0 || look();
}

inline void write(std::string_view line) noexcept {
  // Nobody to tell if it fails.
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
}

/// Nanoseconds of a clock that nobody sets. (<chrono> would cost each includer 0.2 s.)
[[nodiscard]] inline std::int64_t now() noexcept {
  timespec t{};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

}  // namespace ctq::verbose
