// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <charconv>
#include <string>
#include <string_view>
#include <system_error>

#include "ctq/graph/fx_row.hpp"
#include "ctq/json/element.hpp"
#include "ctq/json/string.hpp"

// How strings and numbers of a file that tools/export_fx.py wrote are read.

namespace ctq::fx_reading {

/// The value of a string.
[[nodiscard]] inline std::string unescaped(json::element e) {
  std::string text;
  if (e.has_escapes())
    json::append_unescaped(text, e.text());
  else
    text = e.text();
  return text;
}

/// Python's integers have neither point nor exponent; one that does not fit becomes a float.
inline void set_number(json::element e, argument& a) {
  const std::string_view digits = e.text();
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), a.integer);
  const bool whole = error == std::errc{} && end == digits.data() + digits.size();
  a.is = whole ? argument::kind::integer : argument::kind::real;
  if (!whole) a.integer = 0;
  a.real = e.number();
}

}  // namespace ctq::fx_reading
