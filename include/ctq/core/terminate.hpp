// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <string_view>

// Terminates the program after a fatal error: with a message on standard error, without exceptions.

namespace ctq {

/// Writes "WHAT: WHY" and a newline to standard error.
inline void write_error(std::string_view what, std::string_view why) noexcept {
  for (const std::string_view part : {what, std::string_view{": "}, why, std::string_view{"\n"}}) {
    // A failure cannot be reported.
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, part.data(), part.size());
  }
}

/// Ends the program with exit code 1.
[[noreturn, gnu::cold]] inline void exit_with_error(std::string_view why) noexcept {
  write_error("error", why);
  std::exit(1);
}

/// Aborts the program, since a documented precondition does not hold.
[[noreturn, gnu::cold, gnu::noinline]] inline void abort_with_error(std::string_view why) noexcept {
  write_error("ctq: precondition violated", why);
  std::abort();
}

/// Checks a documented precondition in every build, where a violation would dereference a null
/// pointer.
[[gnu::always_inline]] inline void require(bool holds, std::string_view why) noexcept {
  if (!holds) [[unlikely]]
    abort_with_error(why);
}

}  // namespace ctq
