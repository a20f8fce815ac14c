// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "ctq/kernels/simd/dot.hpp"

// Depthwise convolution of fewer channels than a register holds: two places of the output, each
// some rows, side by side in one register, the channels of the first in its lower half and those of
// the second in the upper.

namespace ctq::kernels::simd {

/// How many places share the registers of Dot.
template <class Dot>
inline constexpr int places_of = 1;
template <class Dot>
requires requires { Dot::places; }
inline constexpr int places_of<Dot> = Dot::places;

/// An element of either place.
template <class T>
struct two_pointers {
  T* first;
  std::ptrdiff_t apart;  // elements from the first to the second

  [[nodiscard, gnu::always_inline]] T* second() const { return first + apart; }
  [[nodiscard, gnu::always_inline]] friend two_pointers operator+(two_pointers p,
                                                                  std::ptrdiff_t n) {
    return {p.first + n, p.apart};
  }
};

/// Where Dot writes: the row at which each of its places begins, in an output whose rows are
/// `stride` apart.
template <class Dot, class Out, std::size_t Places>
[[nodiscard, gnu::always_inline]] inline auto out_rows_at(Out* out,
                                                          const std::array<int, Places>& y,
                                                          std::ptrdiff_t stride) {
  static_assert(Places == places_of<Dot>);
  if constexpr (Places == 1) {
    return out + y[0] * stride;
  } else {
    return two_pointers<Out>{out + y[0] * stride, (y[1] - y[0]) * stride};
  }
}

/// Dot on half as many channels of two places. Weights are packed twice, for the lanes of either.
template <class Dot>
struct two_row_dot : Dot {
  using typename Dot::vec;
  static constexpr int places = 2;

  [[nodiscard]] static constexpr int column(int vectors, int vector, int lane) {
    return Dot::column(vectors, vector, lane) % (vectors * Dot::lanes / places);
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
                                           const typename Dot::bounds& to, two_pointers<Out> out,
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
                                                  two_pointers<Out> out) {
    static_assert(N == 2);
    Dot::save_halves(Dot::template finish_or_saturate<Out>(first, second, to), out.first,
                     out.second());
  }
};

/// Dot with all channels of its registers in one place.
template <class Dot>
struct in_one_place {
  using type = Dot;
};
template <class Dot>
struct in_one_place<two_row_dot<Dot>> {
  using type = Dot;
};

}  // namespace ctq::kernels::simd
