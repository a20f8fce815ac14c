// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <utility>

#include "ctq/core/shapes/window_shapes.hpp"

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

/// Window `index` along one axis.
[[nodiscard, gnu::always_inline]] constexpr pool_span span_of_window(bool adaptive, int index,
                                                                     int in, int out, int kernel,
                                                                     int stride, int padding,
                                                                     int dilation) noexcept {
  return adaptive ? adaptive_span_of(index, in, out)
                  : pool_span_of(index, in, kernel, stride, padding, dilation);
}

/// The windows of a row of outputs with all their columns inside the input.
struct whole_windows {
  int first{}, end{};

  /// How many windows a run has that begins at `index`: all whole windows, or one.
  [[nodiscard]] constexpr int from(int index) const {
    return index == first && first < end ? end - first : 1;
  }
};

[[nodiscard, gnu::always_inline]] constexpr whole_windows whole_windows_of(
    const pool_shape& s) noexcept {
  const int last_start = s.in_w - 1 - (s.kernel_w - 1) * s.dilation_w;
  if (s.adaptive != 0 || last_start + s.padding_w < 0) return {};
  const int first = (s.padding_w + s.stride_w - 1) / s.stride_w;
  const int end = (last_start + s.padding_w) / s.stride_w + 1;
  return {first, end < s.out_w ? end : s.out_w};
}

/// The distance of the inputs of adjacent windows, in elements.
[[nodiscard, gnu::always_inline]] constexpr std::ptrdiff_t stride_of_windows(
    const pool_shape& s) noexcept {
  return static_cast<std::ptrdiff_t>(without_adaptive(s).stride_w) * s.channels;
}

/// Calls visit(pool_window, count) until all output pixels are visited, in memory order. Each call
/// is for `count` adjacent windows of a row, which have equal numbers of taps; the window is the
/// first of them, and the inputs of the next ones are stride_of_windows apart.
template <class Visit>
[[gnu::always_inline]] inline void for_each_run(pool_shape shape, Visit visit) noexcept {
  const pool_shape s = without_adaptive(shape);
  const bool adaptive = s.adaptive != 0;
  const std::ptrdiff_t pixel = s.channels;
  const whole_windows whole = whole_windows_of(s);
  pool_window w{.row_stride = pixel * s.in_w * s.dilation_h,
                .column_stride = pixel * s.dilation_w,
                .plane_stride = pixel * s.in_w * s.in_h * s.dilation_d};
  for (int image_plane = 0; image_plane < s.batch * s.out_d; ++image_plane) {
    const pool_span z = span_of_window(adaptive, image_plane % s.out_d, s.in_d, s.out_d, s.kernel_d,
                                       s.stride_d, s.padding_d, s.dilation_d);
    const std::ptrdiff_t first_plane =
        static_cast<std::ptrdiff_t>(image_plane / s.out_d) * s.in_d + z.first;
    for (int oy = 0; oy < s.out_h; ++oy) {
      const pool_span y = span_of_window(adaptive, oy, s.in_h, s.out_h, s.kernel_h, s.stride_h,
                                         s.padding_h, s.dilation_h);
      const std::ptrdiff_t row = first_plane * s.in_h + y.first;
      for (int ox = 0; ox < s.out_w;) {
        const pool_span x = span_of_window(adaptive, ox, s.in_w, s.out_w, s.kernel_w, s.stride_w,
                                           s.padding_w, s.dilation_w);
        const int count = whole.from(ox);
        w.in = (row * s.in_w + x.first) * pixel;
        w.planes = z.taps;
        w.rows = y.taps;
        w.columns = x.taps;
        w.padded = z.padded * y.padded * x.padded;
        visit(std::as_const(w), count);
        ox += count;
        w.out += count * pixel;
      }
    }
  }
}

/// Calls visit(pool_window) for each output pixel, in memory order.
template <class Visit>
[[gnu::always_inline]] inline void for_each_window(const pool_shape& shape, Visit visit) noexcept {
  const std::ptrdiff_t stride = stride_of_windows(shape), pixel = shape.channels;
  for_each_run(
      shape, [&](pool_window w, int count) __attribute__((always_inline)) {
        for (; count > 0; --count, w.in += stride, w.out += pixel) visit(std::as_const(w));
      });
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
