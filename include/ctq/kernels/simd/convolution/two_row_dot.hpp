// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "ctq/kernels/simd/dot.hpp"

// Depthwise convolution of fewer channels than a register holds: two output rows share a register,
// the channels of the first are in its lower half and those of the second in the upper.

namespace ctq::kernels::simd {

/// How many output rows share a register of Dot.
template <class Dot>
inline constexpr int rows_per_register_of = 1;
template <class Dot>
requires requires { Dot::rows_per_register; }
inline constexpr int rows_per_register_of<Dot> = Dot::rows_per_register;

/// The same element of two rows.
template <class T>
struct two_row_pointer {
  T* first;
  std::ptrdiff_t apart;  // elements from the first to the second

  [[nodiscard, gnu::always_inline]] T* second() const { return first + apart; }
  [[nodiscard, gnu::always_inline]] friend two_row_pointer operator+(two_row_pointer p,
                                                                     std::ptrdiff_t n) {
    return {p.first + n, p.apart};
  }
};

/// Pointers to the output rows y of a register of Dot. The rows of the output are `stride` apart.
template <class Dot, class Out, std::size_t RowsPerRegister>
[[nodiscard, gnu::always_inline]] inline auto out_rows_at(Out* out,
                                                          const std::array<int, RowsPerRegister>& y,
                                                          std::ptrdiff_t stride) {
  static_assert(RowsPerRegister == rows_per_register_of<Dot>);
  if constexpr (RowsPerRegister == 1) {
    return out + y[0] * stride;
  } else {
    return two_row_pointer<Out>{out + y[0] * stride, (y[1] - y[0]) * stride};
  }
}

/// Dot on half as many channels of two output rows. Weights are packed twice, once for each half of
/// a register.
template <class Dot>
struct two_row_dot : Dot {
  using typename Dot::vec;
  static constexpr int rows_per_register = 2;

  [[nodiscard]] static constexpr int column(int vectors, int vector, int lane) {
    return Dot::column(vectors, vector, lane) % (vectors * Dot::lanes / rows_per_register);
  }

  using Dot::load;
  [[gnu::always_inline]] static vec load(const typename Dot::element* first,
                                         const typename Dot::element* second) {
    return Dot::load_halves(first, second);
  }
  [[gnu::always_inline]] static vec elements(const std::int8_t* first, const std::int8_t* second) {
    static_assert(std::is_same_v<typename Dot::element, std::uint8_t>);
    return Dot::flip_signs(Dot::load_halves(first, second));
  }

  template <int N, class Out>
  [[gnu::always_inline]] static void store(const vec (&acc)[N], const float* multiplier,
                                           const typename Dot::bounds& to, two_row_pointer<Out> out,
                                           int) {
    static_assert(N == 4 && Dot::k_group == 4);
    const vec low[] = {acc[0], acc[1]};
    const vec high[] = {acc[2], acc[3]};
    store_halves<N / 2>(Dot::half(low, multiplier), Dot::half(high, multiplier + 2 * Dot::lanes),
                        to, out);
  }
  template <int N, class Out>
  [[gnu::always_inline]] static void store_halves(vec first, vec second,
                                                  const typename Dot::bounds& to,
                                                  two_row_pointer<Out> out) {
    static_assert(N == 2);
    Dot::save_halves(Dot::template finish_or_saturate<Out>(first, second, to), out.first,
                     out.second());
  }
};

/// Dot with registers that hold channels of one output row.
template <class Dot>
struct one_row_dot {
  using type = Dot;
};
template <class Dot>
struct one_row_dot<two_row_dot<Dot>> {
  using type = Dot;
};

}  // namespace ctq::kernels::simd
