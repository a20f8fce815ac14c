// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <type_traits>
#include <utility>

namespace ctq::kernels::simd {

// Each function through which a body is inlined costs the compiler as much as the body once more,
// all instances of it together: hence no function between unroll and the first calls, and no unroll
// in another where one does.

/// Calls f(0), f(1), …, f(N-1) with the index as an integral_constant. Arrays of registers stay in
/// registers only if every index is a constant; unroll pragmas differ between compilers and may be
/// ignored.
template <int N, class F>
[[gnu::always_inline]] inline void unroll(const F& f) {
  if constexpr (N > 0) f(std::integral_constant<int, 0>{});
  if constexpr (N > 1) f(std::integral_constant<int, 1>{});
  if constexpr (N > 2) f(std::integral_constant<int, 2>{});
  if constexpr (N > 3) f(std::integral_constant<int, 3>{});
  if constexpr (N > 4) f(std::integral_constant<int, 4>{});
  if constexpr (N > 5) f(std::integral_constant<int, 5>{});
  if constexpr (N > 6) f(std::integral_constant<int, 6>{});
  if constexpr (N > 7) f(std::integral_constant<int, 7>{});
  if constexpr (N > 8) {
    [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
      (f(std::integral_constant<int, 8 + I>{}), ...);
    }
    (std::make_integer_sequence<int, N - 8>{});
  }
}

/// Calls f(i, j) for each i < N and, in it, each j < M.
template <int N, int M, class F>
[[gnu::always_inline]] inline void unroll(const F& f) {
  [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
    (f(std::integral_constant<int, I / M>{}, std::integral_constant<int, I % M>{}), ...);
  }
  (std::make_integer_sequence<int, N * M>{});
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
