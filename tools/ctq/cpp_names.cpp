// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpp_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace tool {

namespace {

// Lists of words, each between spaces.

/// Keywords and alternative tokens of C++20, those that later standards and GNU's dialect add, and
/// names in small letters that are macros in hosted C++ or in GNU's dialect.
constexpr std::string_view reserved =
    " alignas alignof alloca and and_eq asm assert auto bitand bitor bool break case catch char "
    "char16_t char32_t char8_t class co_await co_return co_yield compl concept const const_cast "
    "consteval constexpr constinit continue contract_assert decltype default delete do double "
    "dynamic_cast else enum errno explicit export extern false float for friend goto i386 if "
    "inline int linux long math_errhandling mutable namespace new noexcept not not_eq nullptr "
    "offsetof operator or or_eq private protected public register reinterpret_cast requires "
    "restrict return setjmp short signed sizeof static static_assert static_cast stderr stdin "
    "stdout strdupa strndupa struct switch template this thread_local throw true try typedef "
    "typeid typename typeof union unix unsigned using va_arg va_end va_list va_start virtual void "
    "volatile wchar_t while xor xor_eq ";

/// Names that generated headers use.
constexpr std::string_view taken = " boost ctq fn method nn nni nniqat nnqat nnqr op std xsimd ";

/// Macros of the standard library and of ctq's dependencies, besides those of a common form.
constexpr std::string_view macro_prefixes[] = {"BOOST_", "CTQ_", "M_", "SYS_", "XSIMD_"};
constexpr std::string_view macros =
    " BUFSIZ CSIGNAL INFINITY MAXFLOAT NAN NFDBITS NULL NZERO SNAN SNANF SNANL WCONTINUED WEOF "
    "WEXITED WEXITSTATUS WIFCONTINUED WIFEXITED WIFSIGNALED WIFSTOPPED WNOHANG WNOWAIT WSTOPPED "
    "WSTOPSIG WTERMSIG WUNTRACED ";

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_letter(char c) { return is_upper(c) || (c >= 'a' && c <= 'z') || c == '_'; }

bool is_one_of(std::string_view name, std::string_view words) {
  return words.find(fmt::format(" {} ", name)) != words.npos;
}

bool looks_like_macro(std::string_view name) {
  if (is_one_of(name, macros)) return true;
  for (const std::string_view prefix : macro_prefixes)
    if (name.starts_with(prefix)) return true;
  const auto capital = [](char c) { return is_upper(c) || is_digit(c) || c == '_'; };
  if (name.size() < 2 || !std::all_of(name.begin(), name.end(), capital)) return false;
  // errno's names begin with E; most others have an underscore, SIGINT has none.
  return name.find('_') != name.npos || name[0] == 'E' || name.starts_with("SIG");
}

/// Escapes all but printable ASCII characters, and those of `special`.
void append_escaped(std::string& out, std::string_view text, std::string_view special) {
  char before = 0;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (code < 0x20 || code >= 0x7F || special.find(c) != special.npos) {
      // Three octal digits: a following digit is not part of the escape.
      out += fmt::format("\\{:03o}", code);
    } else if (c == '?' && before == '?') {
      out += "\\?";  // no trigraph
    } else {
      out += c;
    }
    before = c;
  }
}

}  // namespace

std::string cpp_string(std::string_view text) {
  std::string out = "\"";
  append_escaped(out, text, "\"\\");
  return out + '"';
}

std::string cpp_comment(std::string_view text) {
  std::string out;
  append_escaped(out, text, "\\");
  return out;
}

std::string cpp_number(int x) {
  // -2147483648 is an expression of type long.
  return x == -2147483647 - 1 ? "(-2147483647 - 1)" : fmt::to_string(x);
}

std::string cpp_number(float x) {
  if (std::isinf(x))
    return fmt::format("{}std::numeric_limits<float>::infinity()", x < 0 ? "-" : "");
  std::string text;
  for (int digits = 1; digits <= 9; ++digits) {
    text = fmt::format("{:.{}g}", x, digits);
    if (std::strtof(text.c_str(), nullptr) == x) break;
  }
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text + "F";
}

std::string identifier_problem(std::string_view name) {
  if (name.empty()) return "is empty";
  const auto belongs = [](char c) { return is_letter(c) || is_digit(c); };
  if (is_digit(name[0]) || !std::all_of(name.begin(), name.end(), belongs))
    return "is not a C++ identifier: letters, digits and _, no digit first";
  if (is_one_of(name, reserved)) return "is a keyword or a macro of C++";
  if (name.find("__") != name.npos || (name.size() > 1 && name[0] == '_' && is_upper(name[1])))
    return "is reserved in C++: two underscores, or one before a capital";
  if (is_one_of(name, taken)) return "means something else in the header";
  if (looks_like_macro(name)) return "looks like a macro of the standard library";
  return {};
}

std::string namespace_problem(std::string_view name) {
  bool first = true;
  for (std::size_t at = 0; at <= name.size(); first = false) {
    const std::size_t end = std::min(name.find("::", at), name.size());
    const std::string_view part = name.substr(at, end - at);
    if (part.empty() && !name.empty()) return "has an empty part, beside a ::";
    if (std::string problem = identifier_problem(part); !problem.empty()) return problem;
    if (first && part[0] == '_') return "is reserved in C++: begins with an underscore";
    at = end + 2;
  }
  return {};
}

std::string identifier_like(std::string_view text, std::string_view otherwise) {
  std::string name;
  for (const char c : text) {
    const char letter = is_letter(c) || is_digit(c) ? c : '_';
    if (letter != '_' || name.empty() || name.back() != '_') name += letter;
  }
  if (name.empty() || name == "_") name = otherwise;
  if (is_digit(name[0])) name.insert(0, "_");
  if (identifier_problem(name).empty()) return name;
  if (name[0] == '_') return "model" + name;
  const std::string with_suffix = name + (name.back() == '_' ? "model" : "_model");
  return identifier_problem(with_suffix).empty() ? with_suffix : "model_" + name;
}

}  // namespace tool
