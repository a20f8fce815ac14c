// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

// Output: colours only on a terminal, and no control characters of untrusted text.

namespace tool {

/// Whether standard output is a terminal and NO_COLOR is not set.
[[nodiscard]] bool uses_colour();

/// The text with escapes for invalid UTF-8 and for control characters, since messages quote
/// untrusted files.
[[nodiscard]] std::string visible(std::string_view text);

/// A valid JSON text with all its strings made visible.
[[nodiscard]] std::string with_visible_strings(std::string_view json);

/// Flushes standard output; 0, or errno of the first error.
int flush_output();

/// Prints a line to standard error: visible text.
void print_error(std::string_view line);

/// "ctq: ", then the error.
template <class... Part>
void complain(fmt::format_string<Part...> form, Part&&... part) {
  print_error("ctq: " + fmt::format(form, std::forward<Part>(part)...));
}

}  // namespace tool
