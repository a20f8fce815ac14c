// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "ctq/core/kernel_signature.hpp"
#include "ctq/kernels/simd/unroll.hpp"

// What depthwise convolution by columns reads: registers of channels, one a row, from where the
// image lies. The border is a register's worth of zero points.

namespace ctq::kernels::simd {

/// A register of channels of one input pixel, as elements.
template <class Dot, class In>
[[nodiscard, gnu::always_inline]] inline typename Dot::vec channels_at(const In* in) {
  if constexpr (std::is_same_v<In, typename Dot::element>) {
    return Dot::load(in);
  } else {
    return Dot::elements(in);
  }
}

/// The input rows under some output rows: row j starts at base[j], and its columns are step[j]
/// apart. Rows of the border are one pixel, again and again.
template <int Count, class In>
struct input_rows {
  const In* base[Count];
  std::ptrdiff_t step[Count];
  const In* border;
  int columns;

  [[gnu::always_inline]] input_rows(const conv2d_shape& s, const In* in, int first,
                                    const In* zero_points) noexcept
      : border(zero_points), columns(s.in_w) {
    unroll<Count>([&](auto j) __attribute__((always_inline)) {
      const int y = first + j;
      const bool inside = y >= 0 && y < s.in_h;
      base[j] = inside ? in + std::ptrdiff_t{y} * s.in_w * s.in_channels : border;
      step[j] = inside ? s.in_channels : 0;
    });
  }

  /// N rows from `First` on at column x, in registers: g++ 12 would load them again for each use.
  template <class Dot, int First, int N>
  [[gnu::always_inline]] void load_rows_at(int x, typename Dot::vec* to) const {
    const bool inside = x >= 0 && x < columns;
    unroll<N>([&](auto j) __attribute__((always_inline)) {
      to[j] = channels_at<Dot>(inside ? base[First + j] + x * step[First + j] : border);
      if constexpr (requires { Dot::keep(to[j]); }) Dot::keep(to[j]);
    });
  }
  /// Half of the channels of the rows of a group at column x, interleaved.
  template <class Dot, int Half>
  [[gnu::always_inline]] void load_half(int x, int group,
                                        typename Dot::vec (&to)[Dot::k_group / 2]) const {
    if (x >= 0 && x < columns) [[likely]] {
      typename Dot::vec a[Dot::k_group];
      load_rows<Dot>(x, group, a);
      Dot::template interleave_half<Half>(a, to);
    } else {
      load_border<Dot>(to);
    }
  }

 private:
  template <class Dot>
  [[gnu::always_inline]] void load_rows(int x, int group,
                                        typename Dot::vec (&to)[Dot::k_group]) const {
    unroll<Dot::k_group>([&](auto j) __attribute__((always_inline)) {
      // Rows past the last meet weights of zero: any will do.
      const int row = std::min(group * Dot::k_group + j, Count - 1);
      to[j] = channels_at<Dot>(base[row] + x * step[row]);
    });
  }
  template <class Dot, int N>
  [[gnu::always_inline]] void load_border(typename Dot::vec (&to)[N]) const {
    unroll<N>([&](auto v) __attribute__((always_inline)) { to[v] = channels_at<Dot>(border); });
  }
};

}  // namespace ctq::kernels::simd
