// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "ctq/core/text.hpp"
#include "ctq/json/write_backend.hpp"

// A backend type as JSON at compile time: static_assert(to_json<npu>() == text).

namespace ctq {

namespace file_parts {

/// Writes text to memory that is large enough.
struct text_into {
  char* to;
  constexpr void append(std::string_view s) {
#if defined(__clang__)
    __builtin_memcpy(to, s.data(), s.size());  // one constexpr step in clang
    to += s.size();
#else
    const char* const end = s.data() + s.size();
    for (const char* p = s.data(); p != end; ++p) *to++ = *p;
#endif
  }
};

template <class Backend>
consteval std::size_t json_size() {
  text_length length;
  json::append_json(length, backend_v<Backend>);
  return length.count;
}

template <class Backend>
consteval auto json_text() {
  std::array<char, json_size<Backend>()> text{};
  text_into out{text.data()};
  json::append_json(out, backend_v<Backend>);
  return text;
}

template <class Backend>
inline constexpr auto json_v = json_text<Backend>();

}  // namespace file_parts

/// The canonical JSON of a backend.
template <class Backend>
[[nodiscard]] constexpr std::string_view to_json() {
  return {file_parts::json_v<Backend>.data(), file_parts::json_v<Backend>.size()};
}

}  // namespace ctq
