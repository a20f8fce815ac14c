// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

// C++ text from untrusted names and numbers, of files and command lines. Generated headers contain
// them only through these functions: any text stays one string literal, one identifier, one number
// or one line of a comment.

namespace tool {

/// A string literal with its quotes. ASCII only, so that it is independent of the compiler's input
/// charset; the literal has the bytes of the text.
[[nodiscard]] std::string cpp_string(std::string_view text);

/// The text for a // comment: one line, ASCII, never continued by a backslash.
[[nodiscard]] std::string cpp_comment(std::string_view text);

[[nodiscard]] std::string cpp_number(int x);

/// The shortest literal that is this float. Requires a finite number.
[[nodiscard]] std::string cpp_number(float x);

/// Why a constant in a header cannot have this name: "is a keyword of C++"; empty if it can.
[[nodiscard]] std::string identifier_problem(std::string_view name);

/// The same for a namespace; nested ones are separated by ::.
[[nodiscard]] std::string namespace_problem(std::string_view name);

/// A similar name without such a problem; `otherwise`, which is one, if the text has neither
/// letters nor digits.
[[nodiscard]] std::string identifier_like(std::string_view text,
                                          std::string_view otherwise = "model");

}  // namespace tool
