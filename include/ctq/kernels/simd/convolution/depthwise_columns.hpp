// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "ctq/core/shapes/window_shapes.hpp"
#include "ctq/core/unroll.hpp"
#include "ctq/kernels/simd/convolution/column_blocking.hpp"
#include "ctq/kernels/simd/convolution/column_slide.hpp"
#include "ctq/kernels/simd/convolution/column_tile.hpp"
#include "ctq/kernels/simd/convolution/two_row_dot.hpp"
#include "ctq/kernels/simd/geometry.hpp"
#include "ctq/kernels/simd/inline_by_flatten.hpp"

// Depthwise convolutions of integers, 3x3, 5x5 and 7x7 with stride 1 or 2. Dot products run along
// columns: k_group input rows are interleaved once for each input column, and that register is used
// for every kernel column, and for several output rows. The padding is a block of zero points. The
// last block of channels is moved back to end with the pixel, so the input is not copied; with
// fewer channels than a register holds, two rows share it (two_row_dot.hpp).

namespace ctq::kernels::simd {

/// Kernel and Stride of code that reads both at run time: that of run-time shapes whose kernel is
/// not 3x3.
inline constexpr int run_time_size = 0;

/// Computes `Rows` output rows from each of y on, for one block of channels that starts at `in` and
/// `out`. Single rows of 5x5 and 7x7 kernels, and those of 3x3 kernels with stride 1 for many
/// shapes, are computed without tiles, since the code of their tiles would take seconds to compile.
template <class Dot, int Kernel, int Stride, int Rows, extents Known, class In, class To, class Out>
CTQ_INLINE_BY_FLATTEN inline void column_rows(const conv2d_shape& s, const In* in, const In* border,
                                              const std::array<int, rows_per_register_of<Dot>>& y,
                                              const std::byte* block, const To& to, Out* out) {
  if constexpr (Kernel == run_time_size ||
                (Rows == 1 && (Kernel > 3 || (Stride == 1 && Known == extents::of_form)))) {
    any_column_tiles<Dot, Rows>(s, in, border, y, block, to, out);
  } else if constexpr (Kernel == 3 && Dot::k_group == 4) {
    if constexpr (Stride == 1) {
      slide_by_one<Dot, Rows, Known>(s, in, border, y, block, to, out);
    } else {
      slide_by_two<Dot, Known>(s, in, border, y, block, to, out);
    }
  } else {
    column_tiles<Dot, Kernel, Stride, Rows, Known>(s, in, border, y, block, to, out);
  }
}

/// The same for `count` blocks of channels, packed contiguously. start(i): the first channel
template <class Dot, int Kernel, int Stride, int Rows, extents Known, class In, class To, class Out,
          class Start>
CTQ_INLINE_BY_FLATTEN inline void column_row_blocks(
    const conv2d_shape& s, const In* in, const In* border,
    const std::array<int, rows_per_register_of<Dot>>& y, const std::byte* packed, const To& to,
    Out* out, int count, const Start& start) {
  const auto steps = static_cast<std::size_t>(column_blocking<Dot>{s.kernel_h, s.stride_h}.steps());
  const block_layout<Dot> layout{Dot::k_group, steps};
  for (int i = 0; i < count; ++i, packed += layout.bytes()) {
    const int first = start(i);
    column_rows<Dot, Kernel, Stride, Rows, Known>(s, in + first, border, y, packed, to,
                                                  out + first);
  }
}

/// One image. The loop over blocks of channels is inside that over rows, since adjacent blocks
/// share cache lines. Rows: column_blocking::rows
template <class Dot, int Kernel, int Stride, int Rows, class Shape, class In, class To, class Out>
CTQ_INLINE_BY_FLATTEN inline void depthwise_columns(const Shape& shape, const In* in,
                                                    std::int32_t in_zero_point,
                                                    const std::byte* packed, const To& to,
                                                    Out* out) {
  using wide = wide_dot_of<Dot>;
  const conv2d_shape s = shape;
  const auto steps = static_cast<std::size_t>(column_blocking<Dot>{s.kernel_h, s.stride_h}.steps());
  const std::size_t wide_bytes = block_layout<wide>{wide::k_group, steps}.bytes();
  const column_blocks<Dot> blocks{s.out_channels};
  In border[blocks.wide_width];
  std::fill_n(border, blocks.wide_width, static_cast<In>(in_zero_point));
  const auto wide_bounds = wide::store_constants(to);
  const auto bounds = Dot::store_constants(to);
  const auto run_wide = [&](auto rows, const auto& y) CTQ_INLINE_BY_FLATTEN {
    column_row_blocks<wide, Kernel, Stride, rows, known_extents<Shape>>(
        s, in, border, y, packed, wide_bounds, out, blocks.wide(),
        [&](int i) CTQ_INLINE_BY_FLATTEN { return blocks.wide_start(i); });
  };
  const auto run_narrow = [&](auto rows, const auto& y) CTQ_INLINE_BY_FLATTEN {
    column_row_blocks<Dot, Kernel, Stride, rows, known_extents<Shape>>(
        s, in, border, y, packed + static_cast<std::size_t>(blocks.wide()) * wide_bytes, bounds,
        out, blocks.narrow(), [&](int i) CTQ_INLINE_BY_FLATTEN { return blocks.narrow_start(i); });
  };
  const auto all_blocks = [&](auto rows, const std::array<int, rows_per_register_of<Dot>>& y)
                              CTQ_INLINE_BY_FLATTEN {
                                if constexpr (constant_shape<Shape>) {
                                  constexpr column_blocks<Dot> known{Shape::value.out_channels};
                                  if constexpr (known.wide() > 0) run_wide(rows, y);
                                  if constexpr (known.narrow() > 0) run_narrow(rows, y);
                                } else if constexpr (with_form<Shape>) {
                                  if constexpr (Shape::form.wide) run_wide(rows, y);
                                  if constexpr (Shape::form.narrow) run_narrow(rows, y);
                                } else {
                                  if constexpr (column_blocks<Dot>::has_wide) run_wide(rows, y);
                                  run_narrow(rows, y);
                                }
                              };
  const int out_h = s.out_h();
  constexpr std::integral_constant<int, Rows> most;
  constexpr std::integral_constant<int, 1> single;
  if constexpr (rows_per_register_of<Dot> == 2) {
    // The last rows are moved back to end with the image; both halves may then compute the same
    // rows.
    const auto by_twos = [&](auto rows) CTQ_INLINE_BY_FLATTEN {
      const int last = out_h - rows;
      for (int y = 0; y < out_h; y += 2 * rows) {
        all_blocks(rows, {std::min(y, last), std::min(y + rows, last)});
      }
    };
    if constexpr (most > 1) {
      if (out_h < most) return by_twos(single);
    }
    by_twos(most);
  } else {
    // The last rows, fewer than `most`, are moved back to end with the image or, if there is only
    // one, computed by themselves, except where that is slower (3x3 of many shapes; 960 channels @7
    // on Zen 5: 4.2 instead of 5.4 us). all_blocks(most, …) is called at one place only, since a
    // second copy of the code for 5x5 takes seconds to compile.
    constexpr int least = Kernel == 3 && Stride == 1 && with_form<Shape> ? 1 : 2;
    int y = 0;
    for (; y + most <= out_h || (y > 0 && y + least <= out_h); y += most)
      all_blocks(most, {std::min(y, out_h - most)});
    constexpr bool has_rest = [] {
      if constexpr (constant_shape<Shape>) return Shape::value.out_h() % Rows != 0;
      return true;
    }();
    if constexpr (most > 1 && has_rest)
      for (; y < out_h; ++y) all_blocks(single, {y});
  }
}

/// The same, compiled once for all run-time shapes.
template <class Dot, int Kernel, int Stride, int Rows, class In, class To, class Out>
[[gnu::noinline, gnu::flatten]] void shared_depthwise_columns(const conv2d_shape& s, const In* in,
                                                              std::int32_t in_zero_point,
                                                              const std::byte* packed, const To& to,
                                                              Out* out) {
  depthwise_columns<Dot, Kernel, Stride, Rows>(s, in, in_zero_point, packed, to, out);
}

/// One image of any shape. Requires by_columns.
template <class Dot, class Shape, class In, class To, class Out>
CTQ_INLINE_BY_FLATTEN inline void depthwise_by_columns(const Shape& shape, const In* in,
                                                       std::int32_t in_zero_point,
                                                       const std::byte* packed, const To& to,
                                                       Out* out) {
  if constexpr (constant_shape<Shape>) {
    constexpr conv2d_shape s = Shape::value;
    constexpr column_blocking<Dot> blocking{s.kernel_h, s.stride_h};
    depthwise_columns<Dot, s.kernel_h, s.stride_h, blocking.rows()>(shape, in, in_zero_point,
                                                                    packed, to, out);
  } else if constexpr (with_form<Shape>) {
    constexpr column_blocking<Dot> blocking{Shape::form.kernel, Shape::form.stride};
    depthwise_columns<Dot, blocking.kernel, blocking.stride, blocking.rows()>(
        shape, in, in_zero_point, packed, to, out);
  } else {
    const conv2d_shape s = shape;
    if (s.kernel_h == 3) {
      with_constant<2>(s.stride_h, [&](auto stride) CTQ_INLINE_BY_FLATTEN {
        constexpr int rows = column_blocking<Dot>{3, stride}.rows();
        shared_depthwise_columns<Dot, 3, stride, rows>(s, in, in_zero_point, packed, to, out);
      });
    } else {
      const int most = column_blocking<Dot>{s.kernel_h, s.stride_h}.rows();
      with_constant<Dot::k_group>(most, [&](auto rows) CTQ_INLINE_BY_FLATTEN {
        if constexpr (rows != 3) {  // which no kernel of 5 or 7 has
          shared_depthwise_columns<Dot, run_time_size, run_time_size, rows>(s, in, in_zero_point,
                                                                            packed, to, out);
        }
      });
    }
  }
}

}  // namespace ctq::kernels::simd
