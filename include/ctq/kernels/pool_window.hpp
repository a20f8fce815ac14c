// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/core/kernel_signature.hpp"

// The inputs that a pooling window covers: PyTorch's rules for padding, dilation, ceil_mode and
// adaptive pooling.

namespace ctq::kernels {

/// The taps of a window inside the input, along one axis.
struct pool_span {
  int first{};
  int taps{};
  int padded{};  // extent of the window inside input and padding: a factor of the divisor
};

[[nodiscard, gnu::always_inline]] constexpr pool_span pool_span_of(int index, int in, int kernel,
                                                                   int stride, int padding,
                                                                   int dilation) noexcept {
  const int start = index * stride - padding;
  const int before = start < 0 ? (-start + dilation - 1) / dilation : 0;
  const int taps_to_end = start < in ? (in - start + dilation - 1) / dilation : 0;
  const int end = kernel < taps_to_end ? kernel : taps_to_end;
  const int padded_end = start + kernel < in + padding ? start + kernel : in + padding;
  const int taps = end > before ? end - before : 0;
  return {.first = taps > 0 ? start + before * dilation : 0,
          .taps = taps,
          .padded = padded_end - start};
}

/// Window `index` of `out` covers [index*in/out, ceil((index+1)*in/out)).
[[nodiscard, gnu::always_inline]] constexpr pool_span adaptive_span_of(int index, int in,
                                                                       int out) noexcept {
  const int first = static_cast<int>(static_cast<long long>(index) * in / out);
  const int end = static_cast<int>((static_cast<long long>(index + 1) * in + out - 1) / out);
  return {.first = first, .taps = end - first, .padded = end - first};
}

/// One window, for all channels of one output pixel. Offsets count elements.
struct pool_window {
  std::ptrdiff_t in{};                           // of the first tap's channel 0
  std::ptrdiff_t out{};                          // of the output pixel's channel 0
  int rows{}, columns{};                         // taps
  std::ptrdiff_t row_stride{}, column_stride{};  // from tap to tap
  int padded{};                                  // pixels covered within input and padding

  [[nodiscard]] constexpr int taps() const { return rows * columns; }
  /// Distance from the first tap to the last.
  [[nodiscard]] constexpr std::ptrdiff_t reach() const {
    return (rows - 1) * row_stride + (columns - 1) * column_stride;
  }
};

/// Converts an adaptive pool whose windows all have the same size to an ordinary one.
[[nodiscard, gnu::always_inline]] constexpr pool2d_shape without_adaptive(pool2d_shape s) noexcept {
  const bool alike = s.out_h > 0 && s.out_w > 0 && s.in_h % s.out_h == 0 && s.in_w % s.out_w == 0;
  if (s.adaptive == 0 || !alike) return s;
  s.kernel_h = s.stride_h = s.in_h / s.out_h;
  s.kernel_w = s.stride_w = s.in_w / s.out_w;
  s.padding_h = s.padding_w = s.adaptive = 0;
  s.dilation_h = s.dilation_w = 1;
  return s;
}

/// Calls visit(pool_window) for each output pixel, in memory order. Windows inside the input use a
/// separate call with the tap counts of the shape, which are constants if the shape is constant.
template <class Visit>
[[gnu::always_inline]] inline void for_each_window(pool2d_shape shape, Visit visit) noexcept {
  const pool2d_shape s = without_adaptive(shape);
  const std::ptrdiff_t pixel = s.channels;
  const int reach_h = (s.kernel_h - 1) * s.dilation_h;
  const int reach_w = (s.kernel_w - 1) * s.dilation_w;
  const auto within = [](int start, int reach, int in) { return start >= 0 && start + reach < in; };
  std::ptrdiff_t out = 0;
  for (int n = 0; n < s.batch; ++n) {
    for (int oy = 0; oy < s.out_h; ++oy) {
      const pool_span y = s.adaptive != 0 ? adaptive_span_of(oy, s.in_h, s.out_h)
                                          : pool_span_of(oy, s.in_h, s.kernel_h, s.stride_h,
                                                         s.padding_h, s.dilation_h);
      const bool whole_h =
          s.adaptive == 0 && within(oy * s.stride_h - s.padding_h, reach_h, s.in_h);
      const std::ptrdiff_t row = static_cast<std::ptrdiff_t>(n) * s.in_h + y.first;
      for (int ox = 0; ox < s.out_w; ++ox, out += pixel) {
        pool_window w{.out = out,
                      .row_stride = s.dilation_h * s.in_w * pixel,
                      .column_stride = s.dilation_w * pixel};
        const int start = ox * s.stride_w - s.padding_w;
        if (whole_h && within(start, reach_w, s.in_w)) {
          w.in = (row * s.in_w + start) * pixel;
          w.rows = s.kernel_h;
          w.columns = s.kernel_w;
          w.padded = s.kernel_h * s.kernel_w;
          visit(w);
        } else {
          const pool_span x = s.adaptive != 0 ? adaptive_span_of(ox, s.in_w, s.out_w)
                                              : pool_span_of(ox, s.in_w, s.kernel_w, s.stride_w,
                                                             s.padding_w, s.dilation_w);
          w.in = (row * s.in_w + x.first) * pixel;
          w.rows = y.taps;
          w.columns = x.taps;
          w.padded = y.padded * x.padded;
          visit(w);
        }
      }
    }
  }
}

}  // namespace ctq::kernels
