// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <type_traits>
#include <utility>

namespace ctq::kernels::simd {

/// f(0), f(1), ... f(N-1), with the index as a constant. Arrays of registers stay in registers only
/// if every index is one; pragmas that ask for it differ between compilers and may be ignored.
template <int N, class F>
[[gnu::always_inline]] inline void unroll(const F& f) {
  [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
    (f(std::integral_constant<int, I>{}), ...);
  }
  (std::make_integer_sequence<int, N>{});
}

/// f(n) with n, one of 1..Max, as a constant. When n is known to the compiler one call remains.
template <int Max, class F>
[[gnu::always_inline]] inline void with_constant(int n, const F& f) {
  [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
    static_cast<void>(((n == I + 1 && (f(std::integral_constant<int, I + 1>{}), true)) || ...));
  }
  (std::make_integer_sequence<int, Max>{});
}

}  // namespace ctq::kernels::simd
