// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <type_traits>
#include <utility>

namespace ctq::kernels::simd {

/// Calls f(0), f(1), …, f(N-1) with the index as an integral_constant. Arrays of registers stay in
/// registers only if every index is a constant; unroll pragmas differ between compilers and may be
/// ignored.
template <int N, class F>
[[gnu::always_inline]] inline void unroll(const F& f) {
  [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
    (f(std::integral_constant<int, I>{}), ...);
  }
  (std::make_integer_sequence<int, N>{});
}

/// Calls f(i, j) for each i < N and, in it, each j < M.
template <int N, int M, class F>
[[gnu::always_inline]] inline void unroll(const F& f) {
  unroll<N>([&](auto i) __attribute__((always_inline)) {
    unroll<M>([&](auto j) __attribute__((always_inline)) { f(i, j); });
  });
}

/// Calls f(n), 1 <= n <= Max, with n as an integral_constant. If the compiler knows n, only that
/// call remains.
template <int Max, class F>
[[gnu::always_inline]] inline void with_constant(int n, const F& f) {
  [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
    static_cast<void>(((n == I + 1 && (f(std::integral_constant<int, I + 1>{}), true)) || ...));
  }
  (std::make_integer_sequence<int, Max>{});
}

}  // namespace ctq::kernels::simd
