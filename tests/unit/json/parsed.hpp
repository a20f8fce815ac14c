// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

#include "ctq/core/text_buffer.hpp"
#include "ctq/json/document.hpp"
#include "ctq/json/located.hpp"

// A JSON text and its values, for tests of what reads elements.

namespace ctq::json {

/// Requires a valid text, which lives longer, as does this if strings have escapes.
class parsed {
 public:
  constexpr explicit parsed(std::string_view text)
      : text_(text), document_(parse(text.data(), text.size())) {
    if (document_.unescaped == 0) return;
    with_names_.append(text);
    append_names(document_, text.data(), with_names_);
  }

  [[nodiscard]] constexpr element root() const {
    return document_.root(document_.unescaped == 0 ? text_.data() : with_names_.view().data());
  }

 private:
  std::string_view text_;
  document document_;
  text_buffer with_names_{};  // if strings have escapes
};

/// All findings as a command line prints them, one a line. They have their places already.
[[nodiscard]] inline std::string printed(const findings& found, std::string_view text) {
  std::string out;
  for (const finding& f : found) {
    append_located(out, "f", text, f);
    out += '\n';
  }
  return out;
}

/// A repeated part of a text: repeat("1", 3) is "1, 1, 1".
[[nodiscard]] inline std::string repeat(std::string_view part, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) {
    if (i > 0) out += ", ";
    out += part;
  }
  return out;
}

}  // namespace ctq::json
