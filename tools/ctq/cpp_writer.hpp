// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

// C++ text made of names and numbers that come from files and command lines. Nothing else writes
// them into a header: whatever a text says, it stays one string literal, one identifier, one
// number or one line of a comment.

namespace tool {

/// A string literal with its quotes. ASCII alone, so that neither the compiler's input charset nor
/// what an editor shows matters; the literal's bytes are those of the text.
[[nodiscard]] std::string cpp_string(std::string_view text);

/// The text for a // comment: one line, ASCII, never continued by a backslash.
[[nodiscard]] std::string cpp_comment(std::string_view text);

[[nodiscard]] std::string cpp_number(int x);

/// The shortest literal that is this float. Requires a finite number.
[[nodiscard]] std::string cpp_number(float x);

/// Why a constant in a header cannot have this name: "is a keyword of C++"; empty if it can.
[[nodiscard]] std::string identifier_problem(std::string_view name);

/// The same for a namespace, nested ones with :: between.
[[nodiscard]] std::string namespace_problem(std::string_view name);

/// A name without such a problem that is like this text.
[[nodiscard]] std::string identifier_like(std::string_view text);

}  // namespace tool
