// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>

#include "ctq/core/kernel_signature.hpp"
#include "ctq/kernels/simd/convolution/geometry.hpp"
#include "ctq/kernels/simd/convolution/two_row_dot.hpp"
#include "ctq/kernels/simd/dot.hpp"

// How a depthwise convolution by columns (depthwise_columns.hpp) is cut: which input rows share a
// register, how many output rows that serves, which channels make a block. Packed weights follow
// from it.

namespace ctq::kernels::simd {

/// A weight of a kernel; none if its row is -1.
struct kernel_tap {
  int row, column;
};

/// Of a square kernel, for one block of channels: input rows in groups of Dot::k_group.
template <class Dot>
struct column_plan {
  int kernel, stride;

  static constexpr int width = Dot::lanes * Dot::k_group / places_of<Dot>;  // channels

  /// Output rows at once, of a place: as many as the groups of one row serve.
  [[nodiscard]] constexpr int rows() const {
    return (ceil_div(kernel, Dot::k_group) * Dot::k_group - kernel) / stride + 1;
  }
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
  /// Whether slide_by_two does it, which has the weights of a kernel in another order.
  [[nodiscard]] constexpr bool by_two() const {
    return kernel == 3 && stride == 2 && Dot::k_group == 4;
  }
  /// What weighs product j of a step, in the channel of a block.
  [[nodiscard]] constexpr kernel_tap tap_of(int step, int j, int channel) const {
    constexpr kernel_tap none{-1, 0};
    if (by_two()) {
      // Even columns are three rows and the first of the next column, for the pixel that this one
      // begins; of that next column, what is left are pairs, of two channels in each lane.
      if (step == 1) return j / 2 == channel / 4 % 2 ? kernel_tap{1 + j % 2, 1} : none;
      if (j < 3) return {j, step};
      return step == 0 ? kernel_tap{0, 1} : none;
    }
    const int row = kernel_row(step / rows() % groups(rows()), j, step % rows());
    return row >= 0 && row < kernel ? kernel_tap{row, step / rows() / groups(rows())} : none;
  }
  /// Whether an output row sees anything of a group.
  [[nodiscard]] constexpr bool sees(int row, int group) const {
    return kernel_row(group, Dot::k_group - 1, row) >= 0 && kernel_row(group, 0, row) < kernel;
  }
};

/// Rows of the groups that output rows see, at most: of a kernel of 7.
inline constexpr int largest_group_rows = 8;

/// Channels in wide blocks, then in narrow ones, of as many as a register of either dot has room
/// for. The last of each moves back to end with the pixel; if the rest fits in a narrow block, it
/// gets one. Still narrower ones gain nothing (3x3 with stride 2 @56, Zen 4: 32 channels in ymm 3.1
/// us, 16 in xmm 3.0); two places, whose rows come in twos, have not been tried for a rest.
template <class Dot>
struct column_blocks {
  int channels;

  using wide_dot = wide_dot_of<Dot>;
  static constexpr int narrow_width = column_plan<Dot>::width;
  static constexpr int wide_width = column_plan<wide_dot>::width;
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

/// Whether a convolution is done by columns with Dot. Fewer channels than a register would have to
/// be read from beside their pixel.
template <class Dot>
[[nodiscard]] constexpr bool by_columns(const conv2d_shape& s) {
  if constexpr (Dot::k_group > 1) {
    const bool usual = s.kernel_h == 3 || s.kernel_h == 5 || s.kernel_h == 7;
    return is_depthwise(s) && usual && s.kernel_h == s.kernel_w &&
           (s.stride_h == 1 || s.stride_h == 2) && s.stride_h == s.stride_w && s.dilation_h == 1 &&
           s.dilation_w == 1 && s.out_channels >= column_plan<Dot>::width;
  } else {
    return false;
  }
}

/// Whether a convolution is done by columns, but only with two places in a register.
template <class Dot>
[[nodiscard]] constexpr bool by_columns_of_two_places(const conv2d_shape& s) {
  return !by_columns<Dot>(s) && by_columns<halved_dot_of<Dot>>(s);
}

}  // namespace ctq::kernels::simd
