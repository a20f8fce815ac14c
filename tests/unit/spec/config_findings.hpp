// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "ctq/spec/validate_config.hpp"

// What is found in a pattern config that is a type.

namespace spec_tests {

template <class Config>
constexpr ctq::findings check() {
  ctq::findings found;
  ctq::rules::pattern_config(found, 0, Config::value);
  return found;
}

/// What the only finding says, or which rule it breaks.
template <class Config>
constexpr bool says(std::string_view words) {
  const ctq::findings found = check<Config>();
  ctq::static_text<300> text;
  if (found.size() == 1) append_finding(text, found[0]);
  return text.view() == words;
}
template <class Config>
constexpr bool breaks(ctq::rule r) {
  const ctq::findings found = check<Config>();
  return found.size() == 1 && found[0].rule == r;
}
template <class Config>
constexpr bool is_fine = check<Config>().size() == 0;

struct op_gate : ctq::module_op<op_gate> {
  static constexpr std::string_view name = "my.Gate";
};
inline constexpr op_gate gate{};

}  // namespace spec_tests
