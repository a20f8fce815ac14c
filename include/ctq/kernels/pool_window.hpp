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

/// One window, for all channels of one output pixel. Offsets count elements. Without a depth there
/// is one plane.
struct pool_window {
  std::ptrdiff_t in{};                           // of the first tap's channel 0
  std::ptrdiff_t out{};                          // of the output pixel's channel 0
  int rows{}, columns{};                         // taps
  std::ptrdiff_t row_stride{}, column_stride{};  // from tap to tap
  int padded{};                                  // pixels covered within input and padding
  int planes = 1;
  std::ptrdiff_t plane_stride{};

  [[nodiscard]] constexpr int taps() const { return planes * rows * columns; }
  /// Distance from the first tap to the last.
  [[nodiscard]] constexpr std::ptrdiff_t reach() const {
    return (planes - 1) * plane_stride + (rows - 1) * row_stride + (columns - 1) * column_stride;
  }
};

/// Converts an adaptive pool whose windows all have the same size to an ordinary one.
[[nodiscard, gnu::always_inline]] constexpr pool_shape without_adaptive(pool_shape s) noexcept {
  if (s.adaptive == 0 || s.out_d < 1 || s.out_h < 1 || s.out_w < 1) return s;
  if (s.in_d % s.out_d != 0 || s.in_h % s.out_h != 0 || s.in_w % s.out_w != 0) return s;
  s.kernel_d = s.stride_d = s.in_d / s.out_d;
  s.kernel_h = s.stride_h = s.in_h / s.out_h;
  s.kernel_w = s.stride_w = s.in_w / s.out_w;
  s.padding_d = s.padding_h = s.padding_w = s.adaptive = 0;
  s.dilation_d = s.dilation_h = s.dilation_w = 1;
  return s;
}

/// The taps of a window along one axis; whole: none of them is outside the input.
struct pool_axis {
  pool_span span{};
  bool whole = false;
};

[[nodiscard, gnu::always_inline]] constexpr pool_axis pool_axis_of(bool adaptive, int index, int in,
                                                                   int out, int kernel, int stride,
                                                                   int padding,
                                                                   int dilation) noexcept {
  if (adaptive) return {adaptive_span_of(index, in, out)};
  const int start = index * stride - padding;
  return {pool_span_of(index, in, kernel, stride, padding, dilation),
          start >= 0 && start + (kernel - 1) * dilation < in};
}

/// Calls visit(pool_window) for each output pixel, in memory order. Windows inside the input have a
/// call of their own, with tap counts that the loops do not change: with one call for both, average
/// pools of 2x2 and 3x3 take 15 to 20 % longer (AVX512-VNNI, Zen 4).
template <class Visit>
[[gnu::always_inline]] inline void for_each_window(pool_shape shape, Visit visit) noexcept {
  const pool_shape s = without_adaptive(shape);
  const std::ptrdiff_t pixel = s.channels;
  const std::ptrdiff_t plane = s.in_w * pixel * s.in_h;
  const int reach_w = (s.kernel_w - 1) * s.dilation_w;
  std::ptrdiff_t out = 0;
  for (int image_plane = 0; image_plane < s.batch * s.out_d; ++image_plane) {
    const pool_axis z = pool_axis_of(s.adaptive != 0, image_plane % s.out_d, s.in_d, s.out_d,
                                     s.kernel_d, s.stride_d, s.padding_d, s.dilation_d);
    const std::ptrdiff_t first_plane =
        static_cast<std::ptrdiff_t>(image_plane / s.out_d) * s.in_d + z.span.first;
    for (int oy = 0; oy < s.out_h; ++oy) {
      const pool_axis y = pool_axis_of(s.adaptive != 0, oy, s.in_h, s.out_h, s.kernel_h, s.stride_h,
                                       s.padding_h, s.dilation_h);
      const std::ptrdiff_t row = first_plane * s.in_h + y.span.first;
      for (int ox = 0; ox < s.out_w; ++ox, out += pixel) {
        pool_window w{.out = out,
                      .row_stride = s.dilation_h * s.in_w * pixel,
                      .column_stride = s.dilation_w * pixel,
                      .plane_stride = s.dilation_d * plane};
        const int start = ox * s.stride_w - s.padding_w;
        if (z.whole && y.whole && start >= 0 && start + reach_w < s.in_w) {
          w.in = (row * s.in_w + start) * pixel;
          w.planes = s.kernel_d;
          w.rows = s.kernel_h;
          w.columns = s.kernel_w;
          w.padded = s.kernel_d * s.kernel_h * s.kernel_w;
          visit(w);
        } else {
          const pool_span x = s.adaptive != 0 ? adaptive_span_of(ox, s.in_w, s.out_w)
                                              : pool_span_of(ox, s.in_w, s.kernel_w, s.stride_w,
                                                             s.padding_w, s.dilation_w);
          w.in = (row * s.in_w + x.first) * pixel;
          w.planes = z.span.taps;
          w.rows = y.span.taps;
          w.columns = x.taps;
          w.padded = z.span.padded * y.span.padded * x.padded;
          visit(w);
        }
      }
    }
  }
}

/// Calls tap(offset from the first tap) for all taps, row by row.
template <class Tap>
[[gnu::always_inline]] inline void for_each_tap(const pool_window& w, Tap tap) noexcept {
  for (int z = 0; z < w.planes; ++z)
    for (int y = 0; y < w.rows; ++y)
      for (int x = 0; x < w.columns; ++x)
        tap(z * w.plane_stride + y * w.row_stride + x * w.column_stride);
}

}  // namespace ctq::kernels
