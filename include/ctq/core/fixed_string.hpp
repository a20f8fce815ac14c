// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string_view>

// A string that can be a template argument: module_name<"layer1.0.conv1", my_qconfig>.

namespace ctq {

template <std::size_t N>
struct fixed_string {
  char text[N]{};

  consteval fixed_string(const char (&s)[N]) {  // NOLINT(google-explicit-constructor)
    for (std::size_t i = 0; i < N; ++i) text[i] = s[i];
  }

  [[nodiscard]] constexpr std::string_view view() const { return {text, N - 1}; }
};

}  // namespace ctq
