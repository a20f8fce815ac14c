// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/text.hpp"
#include "ctq/json/visible.hpp"

// Error messages of this layer. Quotes from an untrusted file are truncated, and control characters
// are shown as escapes.
//
// Functions that not every program calls are templates, template <int = 0>, so that nothing is
// instantiated if a program does not call them.

namespace ctq {

/// Concatenates text and numbers.
template <class... Part>
[[nodiscard, gnu::cold]] std::string sentence(Part... part) {
  std::string out;
  append_all(out, part...);
  return out;
}

/// A name, truncated to 80 bytes.
template <int = 0>
[[nodiscard, gnu::cold]] std::string shown(std::string_view name) {
  constexpr std::size_t longest = 80;
  std::string out;
  while (!name.empty()) {
    const json::shown_character c = json::first_shown(name);
    const std::string_view text = c.size == 0 ? name.substr(0, c.bytes) : c.escape();
    if (out.size() + text.size() > longest) return out + "...";
    out += text;
    name.remove_prefix(c.bytes);
  }
  return out;
}

/// "[10, 64]", truncated to 8 extents.
template <int = 0>
[[nodiscard, gnu::cold]] std::string shown(span<const std::int64_t> shape) {
  constexpr std::size_t longest = 8;
  std::string out = "[";
  for (std::size_t i = 0; i < std::min(shape.size(), longest); ++i)
    append_all(out, i == 0 ? "" : ", ", shape[i]);
  return out + (shape.size() > longest ? ", ...]" : "]");
}

}  // namespace ctq
