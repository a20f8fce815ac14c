// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "ctq/core/shapes/window_shapes.hpp"
#include "ctq/core/unroll.hpp"
#include "ctq/kernels/simd/convolution/two_row_dot.hpp"
#include "ctq/kernels/simd/geometry.hpp"

// The input of depthwise convolution by columns: registers of channels of one row, or of two rows
// (two_row_dot.hpp), loaded from the image itself. The padding is a block of zero points.

namespace ctq::kernels::simd {

/// A register of channels, as elements, of one input pixel or, for a two_row_dot, of two.
template <class Dot, class In, std::same_as<const In*>... Second>
[[nodiscard, gnu::always_inline]] inline typename Dot::vec channels_at(const In* in,
                                                                       Second... second) {
  static_assert(1 + sizeof...(Second) == rows_per_register_of<Dot>);
  if constexpr (std::is_same_v<In, typename Dot::element>) {
    return Dot::load(in, second...);
  } else {
    return Dot::elements(in, second...);
  }
}

/// The input rows of the kernel windows of consecutive output rows, whose first is out_y[p] for
/// part p of a register: row j starts at base[p][j]. Rows in the padding are the same block for
/// each column: offsets along a row are masked with moves[p][j], which has all bits set or none.
template <int Count, std::size_t RowsPerRegister, class In>
struct input_rows {
  const In* base[RowsPerRegister][Count];
  std::ptrdiff_t moves[RowsPerRegister][Count];
  const In* border;
  std::ptrdiff_t channels;
  int columns;

  [[gnu::always_inline]] input_rows(const conv2d_shape& s, const In* in,
                                    const std::array<int, RowsPerRegister>& out_y,
                                    const In* zero_points) noexcept
      : border(zero_points), channels(s.in_channels), columns(s.in_w) {
    unroll<RowsPerRegister, Count>([&](auto p, auto j) __attribute__((always_inline)) {
      const int y = out_y[p] * s.stride_h - s.padding_h + j;
      const bool inside = y >= 0 && y < s.in_h;
      base[p][j] = inside ? in + std::ptrdiff_t{y} * s.in_w * s.in_channels : border;
      moves[p][j] = inside ? -1 : 0;
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
  template <class Dot>
  [[nodiscard, gnu::always_inline]] typename Dot::vec pixel(int x, int row) const {
    const std::ptrdiff_t at = x * channels;
    return load_from<Dot>([&](int p) __attribute__((always_inline)) {
      return base[p][row] + (at & moves[p][row]);
    });
  }
  template <class Dot>
  [[nodiscard, gnu::always_inline]] typename Dot::vec border_pixel() const {
    return load_from<Dot>([&](int) __attribute__((always_inline)) { return border; });
  }
  template <class Dot, class Address>
  [[nodiscard, gnu::always_inline]] static typename Dot::vec load_from(const Address& address) {
    if constexpr (RowsPerRegister == 1) {
      return channels_at<Dot>(address(0));
    } else {
      return channels_at<Dot>(address(0), address(1));
    }
  }
  template <class Dot, int N>
  [[gnu::always_inline]] void load_border(typename Dot::vec (&to)[N]) const {
    unroll<N>([&](auto v) __attribute__((always_inline)) { to[v] = border_pixel<Dot>(); });
  }

 private:
  template <class Dot>
  [[gnu::always_inline]] void load_rows(int x, int group,
                                        typename Dot::vec (&to)[Dot::k_group]) const {
    unroll<Dot::k_group>([&](auto j) __attribute__((always_inline)) {
      // Rows after the last one are multiplied by zero weights, so any row will do.
      to[j] = pixel<Dot>(x, std::min(group * Dot::k_group + j, Count - 1));
    });
  }
};

/// The columns of input_rows in ascending order. Where extents are not constants, the address in
/// each row moves along, so that a load needs no other instruction (3x3, 144 channels @56 with
/// stride 2 on Zen 5: 11 instead of 14 us).
template <extents Known, class Rows>
class column_cursor;

template <extents Known, int Count, std::size_t RowsPerRegister, class In>
class column_cursor<Known, input_rows<Count, RowsPerRegister, In>> {
 public:
  using rows = input_rows<Count, RowsPerRegister, In>;

  /// x: the first column.
  [[gnu::always_inline]] column_cursor(const rows& of, int x) noexcept : rows_(of), x_(x) {
    unroll<RowsPerRegister, Count>([&](auto p, auto j) __attribute__((always_inline)) {
      step_[p][j] = of.channels & of.moves[p][j];
      at_[p][j] = of.base[p][j] + x * step_[p][j];
    });
  }
  [[gnu::always_inline]] void advance(int columns) noexcept {
    x_ += columns;
    unroll<RowsPerRegister, Count>([&](auto p, auto j) __attribute__((always_inline)) {
      at_[p][j] += columns * step_[p][j];
    });
  }
  /// Whether the columns from `first` to `last` after the present one are in the image.
  [[nodiscard, gnu::always_inline]] bool are_inside(int first, int last) const {
    return x_ + first >= 0 && x_ + last < rows_.columns;
  }
  /// N rows from `First` on, `ahead` columns after the present one, kept in registers: g++ 12 would
  /// reload them at each use.
  ///   inside  whether the column is known to be in the image
  template <class Dot, int First, int N>
  [[gnu::always_inline]] void load_rows(int ahead, bool inside, typename Dot::vec* to) const {
    inside = inside || are_inside(ahead, ahead);
    unroll<N>([&](auto j) __attribute__((always_inline)) {
      to[j] = inside ? pixel<Dot>(ahead, First + j) : rows_.template border_pixel<Dot>();
      if constexpr (requires { Dot::keep(to[j]); }) Dot::keep(to[j]);
    });
  }
  /// Half of the channels of the rows of the present column, interleaved.
  template <class Dot, int Half>
  [[gnu::always_inline]] void load_half(typename Dot::vec (&to)[Dot::k_group / 2]) const {
    if (are_inside(0, 0)) [[likely]] {
      typename Dot::vec a[Dot::k_group];
      unroll<Dot::k_group>([&](auto j) __attribute__((always_inline)) {
        a[j] = pixel<Dot>(0, std::min<int>(j, Count - 1));
      });
      Dot::template interleave_half<Half>(a, to);
    } else {
      rows_.template load_border<Dot>(to);
    }
  }

 private:
  template <class Dot>
  [[nodiscard, gnu::always_inline]] typename Dot::vec pixel(int ahead, int row) const {
    if constexpr (Known == extents::constant) {
      return rows_.template pixel<Dot>(x_ + ahead, row);
    } else {
      return rows::template load_from<Dot>([&](int p) __attribute__((always_inline)) {
        return at_[p][row] + ahead * step_[p][row];
      });
    }
  }

  const rows& rows_;
  int x_;
  const In* at_[RowsPerRegister][Count];
  std::ptrdiff_t step_[RowsPerRegister][Count];
};

/// Count rows and Columns columns of one block of channels: of the image if all are inside, else of
/// a copy that includes the padding. Addresses need fewer instructions than those of input_rows,
/// which matters where the extents are not constants (3x3, 144 channels @56 with stride 2 on AVX2,
/// Zen 3: 95 to 105 % of the time of a kernel for that shape; 119 % with input_rows).
template <int Count, int Columns, int Width, class In>
struct inner_columns {
  const In* row[Count];
  std::ptrdiff_t channels;
  int first;
  In copy[Count][Columns][Width];

  /// x: the first column. Columns at an edge of the image are copied.
  [[gnu::always_inline]] inner_columns(const input_rows<Count, 1, In>& rows, int x) noexcept
      : channels(rows.channels), first(x) {
    const bool inside =
        (rows.moves[0][0] & rows.moves[0][Count - 1]) != 0 && x >= 0 && x + Columns <= rows.columns;
    if (inside) [[likely]] {
      unroll<Count>([&](auto j) __attribute__((always_inline)) {
        row[j] = rows.base[0][j] + x * rows.channels;
      });
    } else {
      copy_from(rows, x);
    }
  }

  template <class Dot, int Half>
  [[gnu::always_inline]] void load_half(int x, int group,
                                        typename Dot::vec (&to)[Dot::k_group / 2]) const {
    typename Dot::vec a[Dot::k_group];
    unroll<Dot::k_group>([&](auto j) __attribute__((always_inline)) {
      const int of = std::min(group * Dot::k_group + j, Count - 1);
      a[j] = channels_at<Dot>(row[of] + (x - first) * channels);
    });
    Dot::template interleave_half<Half>(a, to);
  }

 private:
  [[gnu::always_inline]] void copy_from(const input_rows<Count, 1, In>& rows, int x) noexcept {
    for (int c = 0; c < Columns; ++c) {
      const bool is_pixel = x + c >= 0 && x + c < rows.columns;
      const std::ptrdiff_t at = (x + c) * rows.channels;
      unroll<Count>([&](auto j) __attribute__((always_inline)) {
        const In* const from = is_pixel ? rows.base[0][j] + (at & rows.moves[0][j]) : rows.border;
        std::memcpy(copy[j][c], from, sizeof copy[j][c]);
      });
    }
    unroll<Count>([&](auto j) __attribute__((always_inline)) { row[j] = copy[j][0]; });
    channels = Width;
  }
};

}  // namespace ctq::kernels::simd
