// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/kernel_signature.hpp"
#include "ctq/core/options.hpp"
#include "ctq/core/shape.hpp"

// From an op's options and the logical shapes around it to the sizes a kernel works with. Arguments
// are values, not references: so g++ works out equal layers once.

namespace ctq::kernel_shapes {

[[nodiscard]] constexpr conv2d_shape conv2d(conv2d_options o, shape in) {
  return {.batch = in.extent[0],
          .in_h = in.extent[2],
          .in_w = in.extent[3],
          .in_channels = in.extent[1],
          .out_channels = o.out_channels,
          .kernel_h = o.kernel_size.h,
          .kernel_w = o.kernel_size.w,
          .stride_h = o.stride.h,
          .stride_w = o.stride.w,
          .padding_h = o.padding.h,
          .padding_w = o.padding.w,
          .dilation_h = o.dilation.h,
          .dilation_w = o.dilation.w,
          .groups = o.groups};
}

[[nodiscard]] constexpr pool2d_shape pool2d(shape in, shape out) {
  return {.batch = in.extent[0],
          .in_h = in.extent[2],
          .in_w = in.extent[3],
          .channels = in.extent[1],
          .out_h = out.extent[2],
          .out_w = out.extent[3]};
}

template <class Options>
constexpr pool2d_shape windowed(pool2d_shape s, Options o) {
  s.kernel_h = o.kernel_size.h;
  s.kernel_w = o.kernel_size.w;
  s.stride_h = o.stride.h;
  s.stride_w = o.stride.w;
  s.padding_h = o.padding.h;
  s.padding_w = o.padding.w;
  return s;
}

[[nodiscard]] constexpr pool2d_shape max_pool2d(max_pool2d_options o, shape in, shape out) {
  pool2d_shape s = windowed(pool2d(in, out), o);
  s.dilation_h = o.dilation.h;
  s.dilation_w = o.dilation.w;
  return s;
}

[[nodiscard]] constexpr pool2d_shape avg_pool2d(avg_pool2d_options o, shape in, shape out) {
  pool2d_shape s = windowed(pool2d(in, out), o);
  s.count_include_pad = o.count_include_pad ? 1 : 0;
  return s;
}

[[nodiscard]] constexpr pool2d_shape adaptive_avg_pool2d(shape in, shape out) {
  pool2d_shape s = pool2d(in, out);
  s.adaptive = 1;
  return s;
}

/// One input of a cat along dim: the axes before dim, in memory order, are rows.
///   out     logical shape of the result
///   extent  of the input along dim
///   before  how much of the row earlier inputs fill, along dim
[[nodiscard]] constexpr concat_shape concat(shape out, layout order, int dim, int extent,
                                            int before) {
  const bool nhwc = order == layout::nhwc;
  const int axes[max_rank] = {0, nhwc ? 2 : 1, nhwc ? 3 : 2, nhwc ? 1 : 3};
  int rows = 1;
  int inner = 1;
  bool outside = true;
  for (int k = 0; k < out.rank; ++k) {
    if (axes[k] == dim) {
      outside = false;
    } else {
      (outside ? rows : inner) *= out[axes[k]];
    }
  }
  return {rows, extent * inner, out[dim] * inner, before * inner};
}

}  // namespace ctq::kernel_shapes
