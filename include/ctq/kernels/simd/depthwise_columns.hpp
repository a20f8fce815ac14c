// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "ctq/core/kernel_signature.hpp"
#include "ctq/kernels/simd/dot.hpp"
#include "ctq/kernels/simd/geometry.hpp"
#include "ctq/kernels/simd/unroll.hpp"

// The usual depthwise convolutions, 3x3 with stride 1 or 2, on integers. Here a dot product runs
// down a column: k_group input rows are interleaved once for each input column, and that register
// serves every tap of the kernel that sees the column, and two output rows. The border is a
// register, and the last block of channels moves back to end with the pixel, so the input is read
// where it lies.

namespace ctq::kernels::simd {

/// What a 3x3 kernel of that stride wants of Dot.
template <class Dot>
struct column_plan {
  int stride;

  static constexpr int kernel = 3;
  static constexpr int width = Dot::lanes * Dot::k_group;  // channels

  /// Output rows at once. With stride 2 two would need a second group of input rows.
  [[nodiscard]] constexpr int rows() const { return stride == 2 ? 1 : 2; }
  /// Output columns at once: as many as leave registers for the input columns under them.
  [[nodiscard]] constexpr int columns() const { return stride == 2 ? 4 : 3; }
  [[nodiscard]] constexpr int in_rows(int out_rows) const {
    return (out_rows - 1) * stride + kernel;
  }
  [[nodiscard]] constexpr int groups(int out_rows) const {
    return ceil_div(in_rows(out_rows), Dot::k_group);
  }
  /// Steps of packed weights: for each kernel column, each group, each output row.
  [[nodiscard]] constexpr int steps() const { return kernel * groups(rows()) * rows(); }
  [[nodiscard]] constexpr int step(int column, int group, int row) const {
    return (column * groups(rows()) + group) * rows() + row;
  }
  /// The kernel row that weighs input row j of a group, for an output row; maybe none.
  [[nodiscard]] constexpr int kernel_row(int group, int j, int row) const {
    return group * Dot::k_group + j - row * stride;
  }
  /// Whether an output row sees anything of a group.
  [[nodiscard]] constexpr bool sees(int row, int group) const {
    return kernel_row(group, Dot::k_group - 1, row) >= 0 && kernel_row(group, 0, row) < kernel;
  }
};

/// Whether a convolution is done by columns. Fewer channels than a register would have to be read
/// from beside their pixel.
template <class Dot>
[[nodiscard]] constexpr bool by_columns(const conv2d_shape& s) {
  if constexpr (Dot::k_group > 1) {
    return is_depthwise(s) && s.kernel_h == 3 && s.kernel_w == 3 && s.stride_h == s.stride_w &&
           (s.stride_h == 1 || s.stride_h == 2) && s.dilation_h == 1 && s.dilation_w == 1 &&
           s.out_channels >= column_plan<Dot>::width;
  } else {
    return false;
  }
}

/// The first channel of a block.
template <class Dot>
[[nodiscard]] constexpr int block_start(const conv2d_shape& s, int block) {
  return std::min(block * column_plan<Dot>::width, s.out_channels - column_plan<Dot>::width);
}

/// A register of channels of one input pixel, as elements.
template <class Dot, class In>
[[nodiscard, gnu::always_inline]] inline typename Dot::vec channels_at(const In* in) {
  if constexpr (std::is_same_v<In, typename Dot::element>) {
    return Dot::load(in);
  } else {
    return Dot::elements(in);
  }
}

/// The input rows under a tile: row j starts at base[j], and its columns are step[j] apart. Rows of
/// the border are one pixel, again and again.
template <int Count, class In>
struct input_rows {
  const In* base[Count];
  std::ptrdiff_t step[Count];

  [[gnu::always_inline]] input_rows(const conv2d_shape& s, const In* in, int first,
                                    const In* border) noexcept {
    unroll<Count>([&](auto j) __attribute__((always_inline)) {
      const int y = first + j;
      const bool inside = y >= 0 && y < s.in_h;
      base[j] = inside ? in + std::ptrdiff_t{y} * s.in_w * s.in_channels : border;
      step[j] = inside ? s.in_channels : 0;
    });
  }
};

/// Where a tile is: x is the first input column.
template <int InRows, class In>
struct tile_input {
  const input_rows<InRows, In>& rows;
  const In* border;
  int x, in_w;

  /// The rows of a group at column x + c, interleaved: half of the channels.
  template <class Dot, int Half>
  [[gnu::always_inline]] void load(int c, int group,
                                   typename Dot::vec (&to)[Dot::k_group / 2]) const {
    typename Dot::vec a[Dot::k_group];
    if (x + c >= 0 && x + c < in_w) {
      unroll<Dot::k_group>([&](auto j) __attribute__((always_inline)) {
        // Rows past the last meet weights of zero: any will do.
        const int row = std::min(group * Dot::k_group + j, InRows - 1);
        a[j] = channels_at<Dot>(rows.base[row] + (x + c) * rows.step[row]);
      });
      Dot::template interleave_half<Half>(a, to);
    } else {
      unroll<Dot::k_group / 2>([&](auto v) __attribute__((always_inline)) {
        to[v] = channels_at<Dot>(border);
      });
    }
  }
};

/// Sums of Rows x Columns output pixels, for half of the channels of a block, requantized. Every
/// weight is loaded once.
template <class Dot, int Stride, int Rows, int Columns, int Half, class Input>
[[gnu::always_inline]] inline void column_half(const Input& in, const std::byte* block,
                                               typename Dot::vec (&out)[Rows][Columns]) {
  using vec = typename Dot::vec;
  constexpr column_plan<Dot> plan{Stride};
  constexpr int vecs = Dot::k_group / 2;
  constexpr std::size_t vec_bytes = block_layout<Dot>::vec_bytes;
  constexpr block_layout<Dot> layout{Dot::k_group, 0};
  constexpr int in_columns = (Columns - 1) * Stride + plan.kernel;
  block += Half * vecs * vec_bytes;

  vec acc[Rows][Columns][vecs];
  unroll<vecs>([&](auto v) __attribute__((always_inline)) {
    const vec bias = Dot::load(block + v * vec_bytes);
    unroll<Rows>([&](auto m) __attribute__((always_inline)) {
      unroll<Columns>([&](auto n) __attribute__((always_inline)) { acc[m][n][v] = bias; });
    });
  });

  const std::byte* const weights = block + layout.weights();
  unroll<plan.groups(Rows)>([&](auto g) __attribute__((always_inline)) {
    vec a[in_columns][vecs];
    unroll<in_columns>([&](auto c) __attribute__((always_inline)) {
      in.template load<Dot, Half>(c, g, a[c]);
    });
    unroll<plan.kernel>([&](auto tap) __attribute__((always_inline)) {
      unroll<Rows>([&](auto m) __attribute__((always_inline)) {
        if constexpr (plan.sees(m, g)) {
          unroll<vecs>([&](auto v) __attribute__((always_inline)) {
            const vec b =
                Dot::load(weights + (plan.step(tap, g, m) * Dot::k_group + v) * vec_bytes);
            unroll<Columns>([&](auto n) __attribute__((always_inline)) {
              acc[m][n][v] = Dot::dot(acc[m][n][v], a[n * Stride + tap][v], b);
            });
          });
        }
      });
    });
  });

  const auto* multiplier = reinterpret_cast<const float*>(block + layout.multipliers());
  unroll<Rows>([&](auto m) __attribute__((always_inline)) {
    unroll<Columns>([&](auto n) __attribute__((always_inline)) {
      out[m][n] = Dot::half(acc[m][n], multiplier);
    });
  });
}

/// Rows x Columns output pixels of one block of channels.
template <class Dot, int Stride, int Rows, int Columns, class Input, class To, class Out>
[[gnu::always_inline]] inline void column_tile(const Input& in, const std::byte* block,
                                               const To& to, Out* out, std::ptrdiff_t out_x,
                                               std::ptrdiff_t out_y) {
  typename Dot::vec first[Rows][Columns];
  typename Dot::vec second[Rows][Columns];
  column_half<Dot, Stride, Rows, Columns, 0>(in, block, first);
  column_half<Dot, Stride, Rows, Columns, 1>(in, block, second);
  unroll<Rows>([&](auto m) __attribute__((always_inline)) {
    unroll<Columns>([&](auto n) __attribute__((always_inline)) {
      Dot::template store_halves<Dot::k_group / 2>(first[m][n], second[m][n], to,
                                                   out + m * out_y + n * out_x);
    });
  });
}

/// One output row from y on with stride 2, where two columns in three are seen by one output pixel
/// only: input columns come one by one, weigh on the pixel that they end and on the one that they
/// begin, and are forgotten. Weights stay in registers, all channels of a block are worked on at
/// once, and no input is read twice (144 channels @56, Zen 4: 20 instead of 25 us).
template <class Dot, class In, class To, class Out>
[[gnu::always_inline]] inline void column_slide(const conv2d_shape& s, const In* in,
                                                const In* border, int y, const std::byte* block,
                                                const To& to, Out* out) {
  using vec = typename Dot::vec;
  constexpr column_plan<Dot> plan{2};
  constexpr int vecs = Dot::k_group;
  constexpr std::size_t vec_bytes = block_layout<Dot>::vec_bytes;
  constexpr block_layout<Dot> layout{Dot::k_group, 0};
  const input_rows<plan.kernel, In> rows(s, in, y * 2 - s.padding_h, border);
  const auto* const multiplier = reinterpret_cast<const float*>(block + layout.multipliers());
  vec weights[plan.kernel][vecs];
  unroll<plan.kernel>([&](auto tap) __attribute__((always_inline)) {
    unroll<vecs>([&](auto v) __attribute__((always_inline)) {
      weights[tap][v] =
          Dot::load(block + layout.weights() + (plan.step(tap, 0, 0) * vecs + v) * vec_bytes);
    });
  });
  const auto column = [&](int x, vec(&a)[vecs]) __attribute__((always_inline)) {
    if (x >= 0 && x < s.in_w) [[likely]] {
      unroll<vecs>([&](auto j) __attribute__((always_inline)) {
        // Rows past the last meet weights of zero: any will do.
        constexpr int row = std::min<int>(j, plan.kernel - 1);
        a[j] = channels_at<Dot>(rows.base[row] + x * rows.step[row]);
      });
      Dot::interleave(a);
    } else {
      unroll<vecs>([&](auto v) __attribute__((always_inline)) { a[v] = channels_at<Dot>(border); });
    }
  };
  const auto begin = [&](const vec(&a)[vecs], vec(&acc)[vecs]) __attribute__((always_inline)) {
    unroll<vecs>([&](auto v) __attribute__((always_inline)) {
      acc[v] = Dot::dot(Dot::load(block + v * vec_bytes), a[v], weights[0][v]);
    });
  };

  // A pixel is stored in the turn after its last column, beside work that waits for loads: the
  // two are more than the machine would look ahead.
  vec a[vecs], acc[vecs], done[vecs];
  const auto store = [&](int n) __attribute__((always_inline)) {
    Dot::store(done, multiplier, to, out + n * std::ptrdiff_t{s.out_channels}, plan.width);
  };
  int x = -s.padding_w;
  column(x, a);
  begin(a, acc);
  begin(a, done);  // not of use, but g++ cannot see that it is never stored
  out += std::ptrdiff_t{y} * s.out_w() * s.out_channels;
  for (int n = 0; n < s.out_w(); ++n, x += 2) {
    column(x + 1, a);
    if (n > 0) store(n - 1);
    unroll<vecs>([&](auto v) __attribute__((always_inline)) {
      done[v] = Dot::dot(acc[v], a[v], weights[1][v]);
    });
    column(x + 2, a);
    unroll<vecs>([&](auto v) __attribute__((always_inline)) {
      done[v] = Dot::dot(done[v], a[v], weights[2][v]);
    });
    begin(a, acc);
  }
  if (s.out_w() > 0) store(s.out_w() - 1);
}

/// Rows output rows from y on, all columns, one block of channels that starts at `in` and `out`.
template <class Dot, int Stride, int Rows, class In, class To, class Out>
[[gnu::always_inline]] inline void column_sweep(const conv2d_shape& s, const In* in,
                                                const In* border, int y, const std::byte* block,
                                                const To& to, Out* out) {
  constexpr column_plan<Dot> plan{Stride};
  constexpr int columns = plan.columns();
  const std::ptrdiff_t out_x = s.out_channels;
  const std::ptrdiff_t out_y = out_x * s.out_w();
  const input_rows<plan.in_rows(Rows), In> rows(s, in, y * Stride - s.padding_h, border);
  out += y * out_y;
  const auto tile = [&](auto n, int x) __attribute__((always_inline)) {
    const tile_input<plan.in_rows(Rows), In> from{rows, border, x * Stride - s.padding_w, s.in_w};
    column_tile<Dot, Stride, Rows, n>(from, block, to, out + x * out_x, out_x, out_y);
  };
  // What is left is done column by column or, if it is more than one, with a tile that moves back.
  constexpr std::integral_constant<int, columns> whole;
  constexpr std::integral_constant<int, 1> single;
  int x = 0;
  for (; x + columns <= s.out_w(); x += columns) tile(whole, x);
  if (x + 1 < s.out_w() && x > 0) {
    tile(whole, s.out_w() - columns);
  } else {
    for (; x < s.out_w(); ++x) tile(single, x);
  }
}

/// One image. The blocks of channels take turns in each row, since neighbours share cache lines.
template <class Dot, int Stride, class In, class To, class Out>
[[gnu::always_inline]] inline void depthwise_columns(const conv2d_shape& s, const In* in,
                                                     std::int32_t in_zero_point,
                                                     const std::byte* packed, const To& to,
                                                     Out* out) {
  constexpr column_plan<Dot> plan{Stride};
  constexpr block_layout<Dot> layout{Dot::k_group, static_cast<std::size_t>(plan.steps())};
  In border[plan.width];
  std::fill_n(border, plan.width, static_cast<In>(in_zero_point));
  const auto ends = Dot::prepared(to);
  const auto all_blocks = [&](auto rows, int y) __attribute__((always_inline)) {
    const std::byte* block = packed;
    for (int i = 0; i < ceil_div(s.out_channels, plan.width); ++i, block += layout.bytes()) {
      const int first = block_start<Dot>(s, i);
      if constexpr (Stride == 2 && Dot::k_group == 4) {
        column_slide<Dot>(s, in + first, border, y, block, ends, out + first);
      } else {
        column_sweep<Dot, Stride, rows>(s, in + first, border, y, block, ends, out + first);
      }
    }
  };
  int y = 0;
  for (; y + plan.rows() <= s.out_h(); y += plan.rows()) {
    all_blocks(std::integral_constant<int, plan.rows()>{}, y);
  }
  if constexpr (plan.rows() > 1) {
    if (y < s.out_h()) all_blocks(std::integral_constant<int, 1>{}, y);
  }
}

/// The same, compiled once for all shapes that are not known to the compiler.
template <class Dot, int Stride, class In, class To, class Out>
[[gnu::noinline]] void shared_depthwise_columns(const conv2d_shape& s, const In* in,
                                                std::int32_t in_zero_point, const std::byte* packed,
                                                const To& to, Out* out) {
  depthwise_columns<Dot, Stride>(s, in, in_zero_point, packed, to, out);
}

/// One image of any shape. Requires by_columns.
template <class Dot, class Shape, class In, class To, class Out>
[[gnu::always_inline]] inline void depthwise_by_columns(const Shape& shape, const In* in,
                                                        std::int32_t in_zero_point,
                                                        const std::byte* packed, const To& to,
                                                        Out* out) {
  if constexpr (constant_shape<Shape>) {
    constexpr conv2d_shape s = Shape::value;
    depthwise_columns<Dot, s.stride_h>(s, in, in_zero_point, packed, to, out);
  } else {
    const conv2d_shape s = shape;
    with_constant<2>(
        s.stride_h, [&](auto stride) __attribute__((always_inline)) {
          shared_depthwise_columns<Dot, stride>(s, in, in_zero_point, packed, to, out);
        });
  }
}

}  // namespace ctq::kernels::simd
