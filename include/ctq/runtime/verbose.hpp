// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/text.hpp"
#include "ctq/graph/node.hpp"
#include "ctq/passes/schedule/step.hpp"
#include "ctq/runtime/packing/used_kernels.hpp"
#include "ctq/runtime/step_text.hpp"

// The environment variable CTQ_VERBOSE, like oneDNN's: with 1, every run of a model, int8 or float,
// writes a line for each step to the standard error.
//
//   ctq_verbose,run,avx512vnni,conv1,conv2d,quint8:quint8,<shape>,<blocking>,<bytes>,<µs>
//
// A line is one write(2), so that lines of several threads do not mix. No iostreams, which would
// run code when the program starts.

namespace ctq::verbose {

/// -1: not read yet.
inline constinit std::atomic<signed char> state{-1};

[[gnu::cold, gnu::noinline]] inline bool read_environment() noexcept {
  const char* const value = std::getenv("CTQ_VERBOSE");
  const bool asked = value != nullptr && *value != '\0' && std::string_view{value} != "0";
  state.store(asked ? 1 : 0, std::memory_order_relaxed);
  return asked;
}

/// Called once per run: a load and a branch.
[[nodiscard, gnu::always_inline]] inline bool on() noexcept {
  const signed char known = state.load(std::memory_order_relaxed);
  if (known == 0) [[likely]]
    return false;
  return known > 0 || read_environment();
}

inline void write(std::string_view line) noexcept {
  // A failure cannot be reported.
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
}

/// Nanoseconds of a monotonic clock. (<chrono> takes 0.2 s to compile.)
[[nodiscard]] inline std::int64_t now() noexcept {
  timespec t{};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

}  // namespace ctq::verbose

namespace ctq {

/// Writes the line of a step.
///   Used      at least the step's kernel
///   isa       instruction set of the step's code
///   blocking  how that divides the work
///   packed    bytes of its parameters
template <used_kernels Used = all_kernels>
[[gnu::cold, gnu::noinline]] void write_step(const step& s, span<const node> nodes,
                                             std::string_view isa, std::string_view blocking,
                                             std::size_t packed,
                                             std::int64_t nanoseconds) noexcept {
  step_text::line line;
  append_all(line, "ctq_verbose,run,", isa, ",");
  if (s.node >= 0) append_name(line, nodes[static_cast<std::size_t>(s.node)]);
  line.append(",");
  append_kernel<Used>(line, s.signature, blocking, packed);
  append_all(line, ",", nanoseconds / 1000, ".", nanoseconds / 100 % 10);
  line.count -= line.count == sizeof line.chars ? 1 : 0;
  verbose::write(line.append("\n").view());
}

}  // namespace ctq
