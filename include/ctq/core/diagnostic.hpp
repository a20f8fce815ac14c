// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/text.hpp"

// A message about an error in a spec, a model or a request: a few short lines, one fact each.
// Created by passes; reported as a compile error by report.hpp, or printed by command lines.

namespace ctq {

struct diagnostic {
  static_text<560> text;

  [[nodiscard]] constexpr bool any() const { return !text.empty(); }
  [[nodiscard]] constexpr std::string_view message() const { return text.view(); }

  /// Adds one line.
  template <class... Part>
  constexpr diagnostic& line(Part... part) {
    if (any()) text.append("\n");
    append_all(text, part...);
    return *this;
  }
};

}  // namespace ctq
