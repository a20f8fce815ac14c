// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "ctq/core/shapes/window_shapes.hpp"
#include "ctq/kernels/simd/dot.hpp"
#include "ctq/kernels/tuning.hpp"

// What blocked kernels derive from the shape of a convolution: which elements are contiguous, how
// the output is divided into tiles, the layout of the packed weights. Everything is constexpr, so a
// constant shape leaves constants in the machine code.

namespace ctq::kernels::simd {

[[nodiscard]] constexpr int ceil_div(int n, int d) { return (n + d - 1) / d; }

[[nodiscard]] constexpr std::size_t round_up(std::size_t n, std::size_t to) {
  return (n + to - 1) / to * to;
}

/// Satisfied by std::integral_constant<conv2d_shape, ...>: a compile-time shape. Kernels take
/// either that or a conv2d_shape; likewise for the shapes of other kernels.
template <class Shape>
concept constant_shape = requires {
  typename std::bool_constant<(Shape::value, true)>;
};

/// Satisfied by formed_shape: run-time extents, but a compile-time form, see conv2d_form.hpp.
template <class Shape>
concept with_form = requires {
  typename std::bool_constant<(Shape::form, true)>;
};

/// What is known of the extents of a layer where its kernel is compiled.
enum class extents { constant, of_form, at_run_time };

template <class Shape>
inline constexpr extents known_extents = constant_shape<Shape> ? extents::constant
                                         : with_form<Shape>    ? extents::of_form
                                                               : extents::at_run_time;

/// Whether a kernel for this shape has only the code that the shape needs.
template <class Shape>
concept specialized_shape = constant_shape<Shape> || with_form<Shape>;

/// f(shape), at compile time if the shape is constant. F: captures nothing
template <class Shape, class F>
[[nodiscard, gnu::always_inline]] constexpr auto evaluated(const Shape& shape, const F& f) {
  if constexpr (constant_shape<Shape>) {
    constexpr auto value = F{}(Shape::value);
    return value;
  } else {
    return f(shape);
  }
}

/// The extents of a shape. Those of a constant shape are the constant itself, not a copy: g++ 12
/// copies some constants wrongly where it tunes for AVX-512 (see tuning_warning.hpp).
template <class Shape>
[[nodiscard, gnu::always_inline]] constexpr const auto& extents_of(const Shape& shape) {
  if constexpr (constant_shape<Shape>) {
    return Shape::value;
  } else {
    return shape;
  }
}

/// Whether each output pixel depends on one input pixel, and all pixels are read.
[[nodiscard]] constexpr bool is_pointwise(const conv2d_shape& s) {
  return s.kernel_h == 1 && s.kernel_w == 1 && s.stride_h == 1 && s.stride_w == 1 &&
         s.padding_h == 0 && s.padding_w == 0;
}

/// Whether there is one output pixel: a matrix-vector product.
[[nodiscard]] constexpr bool has_one_pixel(const conv2d_shape& s) {
  return s.out_h() == 1 && s.out_w() == 1;
}

/// A pointwise convolution is a matrix product: one row of pixels.
[[nodiscard]] constexpr conv2d_shape flattened(const conv2d_shape& s) {
  if (!is_pointwise(s)) return s;
  conv2d_shape flat = s;
  flat.batch = 1;
  flat.in_h = 1;
  flat.in_w = s.batch * s.in_h * s.in_w;
  return flat;
}

/// A convolution with one channel counts as dense, which is faster.
[[nodiscard]] constexpr bool is_depthwise(const conv2d_shape& s) {
  return s.depthwise() && s.groups > 1;
}

/// Distances in elements.
struct strides {
  std::ptrdiff_t x, y;      // from one output pixel to the next, from one output row to the next
  std::ptrdiff_t tap, row;  // from one tap to the next, from one kernel row to the next
  std::ptrdiff_t out;       // from one output pixel to the next, in the output
};

/// In an image that includes its padding.
[[nodiscard]] constexpr strides strides_of(const conv2d_shape& s) {
  const std::ptrdiff_t row = std::ptrdiff_t{s.padded_w()} * s.in_channels;
  return {.x = std::ptrdiff_t{s.stride_w} * s.in_channels,
          .y = s.stride_h * row,
          .tap = std::ptrdiff_t{s.dilation_w} * s.in_channels,
          .row = s.dilation_h * row,
          .out = s.out_channels};
}

/// The elements under the kernel as contiguous runs: rows * taps runs of `length` elements. A
/// kernel row is one run if its taps are contiguous (no dilation, one group). A run is read in
/// `steps` groups of k_group; elements past its end are multiplied by zero weights.
struct k_runs {
  int rows, taps, length, steps;

  [[nodiscard]] constexpr int total_steps() const { return rows * taps * steps; }
};

[[nodiscard]] constexpr k_runs runs_of(const conv2d_shape& s, int k_group) {
  const bool touching = s.groups == 1 && (s.dilation_w == 1 || s.kernel_w == 1);
  const int taps = touching ? 1 : s.kernel_w;
  const int length = touching ? s.kernel_w * s.in_channels : s.in_group();
  return {s.kernel_h, taps, length, ceil_div(length, k_group)};
}
template <class Dot>
[[nodiscard]] constexpr k_runs runs_of(const conv2d_shape& s) {
  return runs_of(s, Dot::k_group);
}

/// runs_of, with the constants of a form.
template <class Dot, class Shape>
[[nodiscard, gnu::always_inline]] constexpr k_runs known_runs(const Shape& shape) {
  k_runs runs = runs_of<Dot>(shape);
  if constexpr (with_form<Shape>) {
    runs.rows = Shape::form.rows;
    runs.taps = Shape::form.taps;
    if constexpr (Shape::form.steps > 0) runs.steps = Shape::form.steps;
  }
  return runs;
}

/// Calls f(ptrdiff_t) with the distance of each run from the first.
///   Constant  whether the rows and taps are constants. If not, g++ begins each tile later with two
///             loops than with one (3136x64x64 on Zen 5: 44.9 instead of 37.1 us; a constant shape
///             takes 36.6, and a constant 3x3 in 32 groups 55 instead of 67 us with two loops)
template <bool Constant, class F>
[[gnu::always_inline]] inline void for_k_runs(const k_runs& runs, const strides& by, const F& f) {
  if constexpr (Constant) {
    for (int row = 0; row < runs.rows; ++row)
      for (int tap = 0; tap < runs.taps; ++tap) f(row * by.row + tap * by.tap);
  } else {
    std::ptrdiff_t at = 0, row = 0;
    int tap = 0;
    for (int left = runs.rows * runs.taps; left > 0; --left) {
      f(at);
      if (++tap < runs.taps) {
        at += by.tap;
      } else {
        tap = 0;
        at = row += by.row;
      }
    }
  }
}

/// With fewer pixels, panels are not split. Parts of an image have at least as many, unless the
/// image has fewer, so that their panels are those of the image.
inline constexpr int fewest_pixels = 8;

/// The output channels of a group in panels of two vecs of accumulators. The remaining channels are
/// a panel of one or two vecs or, if those that exceed one vec fit in a narrow register, two panels
/// of one vec (1x1, 144 to 24 channels @56 on AVX512-VNNI, Zen 4: 52 instead of 66 us; with a
/// run-time shape 66 as before, 3x3, 16 to 24 @28 18.6 instead of 17.2). They are not split if
/// there are few pixels, where the latency of accumulation would dominate, or few products.
template <class Dot>
struct panels {
  int channels;
  bool may_split;  // there are many pixels and products

  static constexpr int width = 2 * Dot::lanes;

  constexpr explicit panels(const conv2d_shape& s)
      : channels(s.out_group()),
        may_split(std::int64_t{s.batch} * s.out_h() * s.out_w() >= fewest_pixels &&
                  runs_of<Dot>(s).total_steps() >= 16) {}

  [[nodiscard]] constexpr int count() const {
    return ceil_div(channels, width) + (splits() ? 1 : 0);
  }
  [[nodiscard]] constexpr int whole() const { return channels / width; }
  /// Vecs of a panel.
  [[nodiscard]] constexpr int vectors(int panel) const {
    return panel < whole() || (rest() > Dot::lanes && !splits()) ? 2 : 1;
  }
  /// The first channel of a panel, and how many it has.
  [[nodiscard]] constexpr int first(int panel) const {
    return panel > whole() ? whole() * width + Dot::lanes : panel * width;
  }
  [[nodiscard]] constexpr int used(int panel) const {
    return std::min(vectors(panel) * Dot::lanes, channels - first(panel));
  }

 private:
  [[nodiscard]] constexpr int rest() const { return channels % width; }
  [[nodiscard]] constexpr bool splits() const {
    constexpr int narrow = narrow_lanes<Dot>;
    return may_split && narrow < Dot::lanes && rest() > Dot::lanes && rest() <= Dot::lanes + narrow;
  }
};

/// The part of an image that one pass over the weights computes: for a matrix product, the pixels
/// of tuning::bytes_of_pass.
template <class Dot>
[[nodiscard]] constexpr conv2d_shape part_of(const conv2d_shape& s) {
  const std::int64_t pixel = s.in_channels * std::int64_t{sizeof(typename Dot::element)};
  const std::int64_t panel =
      s.in_channels * std::int64_t{panels<Dot>::width * sizeof(typename Dot::element)};
  const std::int64_t most = tuning::bytes_of_pass(panel);
  conv2d_shape part = s;
  if (is_pointwise(s) && s.in_h == 1 && s.in_w * pixel > most) {
    const int parts = static_cast<int>((s.in_w * pixel + most - 1) / most);
    part.in_w = std::max(ceil_div(s.in_w, parts), std::min(s.in_w, fewest_pixels));
  }
  return part;
}

/// Bytes of a block of N vecs: biases, multipliers, then `steps` times N vecs of packed weights.
template <class Dot>
struct block_layout {
  std::size_t vectors, steps;

  static constexpr std::size_t vec_bytes = Dot::lanes * sizeof(float);
  static constexpr std::size_t weight_bytes =
      Dot::lanes * Dot::k_group * sizeof(typename Dot::weight);

  [[nodiscard]] constexpr std::size_t multipliers() const { return vectors * vec_bytes; }
  [[nodiscard]] constexpr std::size_t weights() const { return 2 * vectors * vec_bytes; }
  [[nodiscard]] constexpr std::size_t bytes() const {
    return vectors * (2 * vec_bytes + steps * weight_bytes);
  }
};

/// Tiles of `rows` output pixels, at y + i * y_step and x + j * x_step.
struct band {
  int rows;
  int y, y_count, y_step;
  int x, x_count, x_step;

  /// rows, or 0 if there is no tile.
  [[nodiscard]] constexpr int occurring() const { return y_count * x_count > 0 ? rows : 0; }
};

/// All output pixels in two bands, so that a constant shape needs code for at most two tile sizes.
/// Wide rows are divided into the fewest parts of at most `most` pixels, of two sizes that differ
/// by one; several narrow rows form a tile.
struct tiling {
  band large, small;

  [[nodiscard]] constexpr int count() const {
    return large.y_count * large.x_count + small.y_count * small.x_count;
  }
};

[[nodiscard]] constexpr tiling tiles_of(int out_h, int out_w, int most) {
  if (out_h <= 0 || out_w <= 0) return {};
  if (const int rows = std::min(out_h, most / out_w); rows > 1) {
    const int left = out_h % rows;
    return {{rows * out_w, 0, out_h / rows, rows, 0, 1, 0},
            {left * out_w, out_h - left, 1, 0, 0, 1, 0}};
  }
  const int parts = ceil_div(out_w, most);
  const int size = out_w / parts;
  const int longer = out_w % parts;
  return {{size + 1, 0, out_h, 1, 0, longer, size + 1},
          {size, 0, out_h, 1, longer * (size + 1), parts - longer, size}};
}

}  // namespace ctq::kernels::simd
