// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>

#include "ctq/core/shapes/window_shapes.hpp"
#include "ctq/kernels/simd/convolution/two_row_dot.hpp"
#include "ctq/kernels/simd/dot.hpp"
#include "ctq/kernels/simd/geometry.hpp"

// How a depthwise convolution by columns (depthwise_columns.hpp) is divided: which input rows are
// interleaved in a register, how many output rows use it, which channels form a block. The layout
// of packed weights follows from it.

namespace ctq::kernels::simd {

/// The position of a weight in a kernel; none if row is -1.
struct kernel_tap {
  int row, column;
};

/// For a square kernel and one block of channels: input rows in groups of Dot::k_group.
template <class Dot>
struct column_blocking {
  int kernel, stride;

  static constexpr int width = Dot::lanes * Dot::k_group / rows_per_register_of<Dot>;  // channels

  /// Output rows computed at once: as many as use the same groups of input rows.
  [[nodiscard]] constexpr int rows() const {
    return (ceil_div(kernel, Dot::k_group) * Dot::k_group - kernel) / stride + 1;
  }
  [[nodiscard]] constexpr int in_rows(int out_rows) const {
    return (out_rows - 1) * stride + kernel;
  }
  [[nodiscard]] constexpr int groups(int out_rows) const {
    return ceil_div(in_rows(out_rows), Dot::k_group);
  }
  /// Registers of packed weights: one for each kernel column, group and output row.
  [[nodiscard]] constexpr int steps() const { return kernel * groups(rows()) * rows(); }
  [[nodiscard]] constexpr int step(int column, int group, int row) const {
    return (column * groups(rows()) + group) * rows() + row;
  }
  /// The kernel row that is multiplied with input row j of a group for an output row; may be
  /// outside of the kernel.
  [[nodiscard]] constexpr int kernel_row(int group, int j, int row) const {
    return group * Dot::k_group + j - row * stride;
  }
  /// Whether slide_by_two is used, which reads weights in another order.
  [[nodiscard]] constexpr bool by_two() const {
    return kernel == 3 && stride == 2 && Dot::k_group == 4;
  }
  /// The weight of product j of a step, for a channel of a block.
  [[nodiscard]] constexpr kernel_tap tap_of(int step, int j, int channel) const {
    constexpr kernel_tap none{-1, 0};
    if (by_two()) {
      // Steps 0 and 2, the even kernel columns: three rows; step 0 also has the first row of column
      // 1. Step 1 has the two other rows of column 1 as pairs, for two channels in each lane.
      if (step == 1) return j / 2 == channel / 4 % 2 ? kernel_tap{1 + j % 2, 1} : none;
      if (j < 3) return {j, step};
      return step == 0 ? kernel_tap{0, 1} : none;
    }
    const int row = kernel_row(step / rows() % groups(rows()), j, step % rows());
    return row >= 0 && row < kernel ? kernel_tap{row, step / rows() / groups(rows())} : none;
  }
  /// Whether an output row depends on a group.
  [[nodiscard]] constexpr bool sees(int row, int group) const {
    return kernel_row(group, Dot::k_group - 1, row) >= 0 && kernel_row(group, 0, row) < kernel;
  }
};

/// The most input rows that a block of output rows reads: with a kernel of 7x7, or of 5x5 and a
/// k_group of 4.
inline constexpr int largest_group_rows = 8;

/// Channels in wide blocks, then in narrow ones. The last block of each kind is moved back to end
/// at the last channel and overlaps the one before. Still narrower blocks gain nothing (3x3 with
/// stride 2 @56, Zen 4: 32 channels in ymm 3.1 us, 16 in xmm 3.0); a two_row_dot for the rest is
/// untested.
template <class Dot>
struct column_blocks {
  int channels;

  using wide_dot = wide_dot_of<Dot>;
  static constexpr int narrow_width = column_blocking<Dot>::width;
  static constexpr int wide_width = column_blocking<wide_dot>::width;
  static constexpr bool has_wide = wide_width > narrow_width;

  [[nodiscard]] constexpr int wide() const {
    if (!has_wide || channels < wide_width) return 0;
    return channels / wide_width + (channels % wide_width > narrow_width ? 1 : 0);
  }
  [[nodiscard]] constexpr int narrow() const {
    return ceil_div(std::max(channels - wide() * wide_width, 0), narrow_width);
  }
  /// The first channel of a block.
  [[nodiscard]] constexpr int wide_start(int i) const {
    return std::min(i * wide_width, channels - wide_width);
  }
  [[nodiscard]] constexpr int narrow_start(int i) const {
    return std::min(wide() * wide_width + i * narrow_width, channels - narrow_width);
  }
};

/// Whether a convolution is computed by columns with Dot. It needs at least as many channels as a
/// block has: with fewer, loads would pass the end of a pixel.
template <class Dot>
[[nodiscard]] constexpr bool by_columns(const conv2d_shape& s) {
  if constexpr (Dot::k_group > 1) {
    const bool odd = s.kernel_h == 3 || s.kernel_h == 5 || s.kernel_h == 7;
    return is_depthwise(s) && odd && s.kernel_h == s.kernel_w &&
           (s.stride_h == 1 || s.stride_h == 2) && s.stride_h == s.stride_w && s.dilation_h == 1 &&
           s.dilation_w == 1 && s.out_channels >= column_blocking<Dot>::width;
  } else {
    return false;
  }
}

/// Whether a convolution is computed by columns, but only with two rows per register.
template <class Dot>
[[nodiscard]] constexpr bool by_columns_of_two_rows(const conv2d_shape& s) {
  return !by_columns<Dot>(s) && by_columns<halved_dot_of<Dot>>(s);
}

}  // namespace ctq::kernels::simd
