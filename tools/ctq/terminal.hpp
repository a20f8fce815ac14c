// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

// What may be written where: colours only on a terminal, nothing that would confuse one.

namespace tool {

/// Is standard output a terminal whose user has not said NO_COLOR?
[[nodiscard]] bool wants_colour();

/// The text with escapes for what is not UTF-8 and for control characters. What messages quote
/// comes from files that may be hostile.
[[nodiscard]] std::string visible(std::string_view text);

/// A valid JSON text with all its strings visible: what is read from it can be shown.
[[nodiscard]] std::string with_visible_strings(std::string_view json);

/// Writes what was printed to standard output; 0, or errno of the first time that failed.
int flush_output();

/// Prints a line to standard error: visible text.
void print_error(std::string_view line);

/// "ctq: ", then what is wrong.
template <class... Part>
void complain(fmt::format_string<Part...> form, Part&&... part) {
  print_error("ctq: " + fmt::format(form, std::forward<Part>(part)...));
}

}  // namespace tool
