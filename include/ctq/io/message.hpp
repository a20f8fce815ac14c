// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "ctq/core/text.hpp"
#include "ctq/json/string.hpp"

// The words of this layer's errors. What they quote comes from a file that may be hostile: it is
// cut, and characters that would move a terminal's cursor are left out.

namespace ctq {

/// Words and numbers in one string.
template <class... Part>
[[nodiscard]] std::string sentence(const Part&... part) {
  std::string out;
  append_all(out, part...);
  return out;
}

/// A name, at most 80 bytes of it.
[[nodiscard]] inline std::string shown(std::string_view name) {
  constexpr std::size_t longest = 80;
  std::string out;
  while (!name.empty()) {
    const int valid = json::utf8_length(name.data(), name.data() + name.size());
    const std::size_t length = valid == 0 ? 1 : static_cast<std::size_t>(valid);
    if (out.size() + length > longest) return out + "...";
    const std::string_view c = name.substr(0, length);
    const bool control = c < " " || c == "\x7F" || (c >= "\xC2\x80" && c < "\xC2\xA0");
    const bool visible = valid != 0 && !control;
    out += visible ? c : "?";
    name.remove_prefix(length);
  }
  return out;
}

/// "[10, 64]", at most 8 extents of it.
[[nodiscard]] inline std::string shown(std::span<const std::int64_t> shape) {
  constexpr std::size_t longest = 8;
  std::string out = "[";
  for (std::size_t i = 0; i < std::min(shape.size(), longest); ++i)
    append_all(out, i == 0 ? "" : ", ", shape[i]);
  return out + (shape.size() > longest ? ", ...]" : "]");
}

}  // namespace ctq
