// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

// Compile errors with computed messages, on every compiler.
//
// A check is a type with two static functions, message(), which returns a diagnostic, and bad().
// Derive from report<check> to apply it; if bad() is true, the first error is
//   rejected<line{"the QConfig would be ignored:"}, line{"node: conv1"}, ...>
// with one template argument per line. With C++26's static_assert the text is printed unchanged.
//
// Lines have at most 36 characters, because clang truncates longer ones with [...]. Arrays have the
// exact size with an explicit final NUL, because clang prints padded or value-initialized ones as
// numbers.

namespace ctq {

template <std::size_t N>
struct line {
  char s[N]{};
};

template <line... Message>
inline constexpr bool ok = sizeof...(Message) == 0;

template <line... Message>
struct rejected {
  static_assert(ok<Message...>, "ctq found an error, described in ctq::rejected<...>");
};

namespace wrap {

inline constexpr std::size_t width = 36;

struct range {
  std::size_t begin, end;
};

/// The line that starts at `begin`: up to a newline, or to the last space that fits.
constexpr range line_at(std::string_view text, std::size_t begin) {
  std::size_t end = begin;
  std::size_t space = begin;
  while (end < text.size() && text[end] != '\n' && end - begin < width) {
    if (text[end] == ' ') space = end;
    ++end;
  }
  const bool cut = end < text.size() && text[end] != '\n' && text[end] != ' ';
  return {begin, cut && space > begin ? space : end};
}

constexpr std::size_t after(std::string_view text, range r) {
  const bool separator = r.end < text.size() && (text[r.end] == '\n' || text[r.end] == ' ');
  return r.end + (separator ? 1 : 0);
}

constexpr std::size_t count_lines(std::string_view text) {
  std::size_t lines = 0;
  for (std::size_t at = 0; at < text.size(); ++lines) at = after(text, line_at(text, at));
  return lines;
}

constexpr range nth_line(std::string_view text, std::size_t n) {
  range r = line_at(text, 0);
  for (; n > 0; --n) r = line_at(text, after(text, r));
  return r;
}

}  // namespace wrap

template <class Check>
inline constexpr auto message_of = Check::message();

template <class Check, std::size_t I>
consteval auto get_line() {
  constexpr std::string_view text = message_of<Check>.view();
  constexpr wrap::range r = wrap::nth_line(text, I);
  line<r.end - r.begin + 1> l;
  for (std::size_t i = r.begin; i < r.end; ++i)
    l.s[i - r.begin] = static_cast<unsigned char>(text[i]) < 0x80
                           ? text[i]
                           : '?';  // compilers print other bytes as numbers
  l.s[r.end - r.begin] = 0;
  return l;
}

template <class Check, std::size_t... I>
rejected<get_line<Check, I>()...> rejected_lines(std::index_sequence<I...>);

template <class Check>
consteval auto rejected_by() {
  if constexpr (Check::bad()) {
    return std::make_index_sequence<wrap::count_lines(message_of<Check>.view())>{};
  } else {
    return std::index_sequence<>{};
  }
}

#if defined(__cpp_static_assert) && __cpp_static_assert >= 202306L
template <class Check>
struct report {
  static_assert(!Check::bad(), message_of<Check>.view());
};
#else
/// Empty if the check passes, else an error with the check's message. An alias, to minimize the
/// compiler's "required from" lines.
template <class Check>
using report = decltype(rejected_lines<Check>(rejected_by<Check>()));
#endif

}  // namespace ctq
