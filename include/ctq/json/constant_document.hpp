// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "ctq/json/document.hpp"
#include "ctq/json/element.hpp"

// The values of a JSON text that is a constant of the program.

namespace ctq::json {

/// The values of a constant text. File has a member `text`, a string_view. Counting and parsing are
/// two constants, each with the compiler's full limit of constexpr steps.
template <const auto& File>
inline constexpr std::size_t value_count_v = count_values(File.text.data(), File.text.size());

template <std::size_t Count>
[[nodiscard]] constexpr auto parse_exactly(const char* text, std::size_t size) {
  basic_document<std::array<value, Count>> d{};
  parser p{text, size, d.values.data()};
  d.error = p.run();
  d.unescaped = p.unescaped();
  return d;
}

template <const auto& File>
inline constexpr auto tape_v = parse_exactly<value_count_v<File>>(File.text.data(),
                                                                  File.text.size());

namespace constants {

struct characters {
  char* to;
  constexpr void append(std::string_view s) {
    const char* const end = s.data() + s.size();
    for (const char* p = s.data(); p != end; ++p) *to++ = *p;
  }
};

template <const auto& File>
consteval auto text_with_names() {
  std::array<char, File.text.size() + tape_v<File>.unescaped> all{};
  characters out{all.data()};
  out.append(File.text);
  append_names(tape_v<File>, File.text.data(), out);
  return all;
}

template <const auto& File>
inline constexpr auto text_with_names_v = text_with_names<File>();

}  // namespace constants

/// The outermost value of a constant text without errors.
template <const auto& File>
[[nodiscard]] consteval element root_of() {
  if constexpr (tape_v<File>.unescaped == 0) {
    return {tape_v<File>.values.data(), File.text.data()};
  } else {
    return {tape_v<File>.values.data(), constants::text_with_names_v<File>.data()};
  }
}

}  // namespace ctq::json
