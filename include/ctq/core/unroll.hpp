// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <type_traits>
#include <utility>

// Each function through which a body is inlined costs the compiler as much as all unrolled copies
// of it once more: hence unroll calls it without a function between, and unroll<N, M> is for two
// loops.

namespace ctq {

namespace unrolling {

/// Columns: 0 for one index
template <int Columns, class Indices>
struct unrolled;

template <int Columns, int... I>
struct unrolled<Columns, std::integer_sequence<int, I...>> {
  template <class F>
  [[gnu::always_inline]] void operator()([[maybe_unused]] const F& f) const {
    if constexpr (Columns == 0) {
      (f(std::integral_constant<int, I>{}), ...);
    } else {
      (f(std::integral_constant<int, I / Columns>{}, std::integral_constant<int, I % Columns>{}),
       ...);
    }
  }
};

}  // namespace unrolling

/// unroll<N>(f) calls f(0), f(1), …, f(N-1), and unroll<N, M>(f) calls f(i, j) for each i < N and,
/// in it, each j < M, with indices as integral_constants. Arrays of registers stay in registers
/// only if every index is a constant; unroll pragmas differ between compilers and may be ignored.
template <int N, int M = 0>
inline constexpr unrolling::unrolled<M, std::make_integer_sequence<int, M == 0 ? N : N * M>>
    unroll{};

/// Calls f(n), 1 <= n <= Max, with n as an integral_constant. If the compiler knows n, only that
/// call remains.
template <int Max, class F>
[[gnu::always_inline]] inline void with_constant(int n, const F& f) {
  [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
    static_cast<void>(((n == I + 1 && (f(std::integral_constant<int, I + 1>{}), true)) || ...));
  }
  (std::make_integer_sequence<int, Max>{});
}

}  // namespace ctq
