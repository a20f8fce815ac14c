// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/text.hpp"

// What is wrong with a spec, a model or a request: a few short lines, one fact each. Passes fill
// it in; report.hpp makes a compile error of it, command lines print it.

namespace ctq {

struct diagnostic {
  static_text<480> text;

  [[nodiscard]] constexpr bool any() const { return !text.empty(); }
  [[nodiscard]] constexpr std::string_view message() const { return text.view(); }

  /// Adds one line.
  template <class... Part>
  constexpr diagnostic& line(const Part&... part) {
    if (any()) text.append("\n");
    append_all(text, part...);
    return *this;
  }
};

}  // namespace ctq
