// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "ctq/core/shapes/window_shapes.hpp"
#include "ctq/core/unroll.hpp"
#include "ctq/kernels/simd/geometry.hpp"

// Images whose rows are interleaved in bands: a few pixels of each row of a band, then the next few
// pixels of each. A kernel of several short rows reads one long run per band, so that few channels
// fill a tile. The padded [H,W,C] becomes
//
//   [bands, W / pixels, groups, rows, pixels, C / groups]
//
// where row i of band y is the image's row y * stride_h + i * dilation_h. 7x7/2 of 3 channels @224
// in bands of two rows and two pixels is a 4x4 convolution of 12 channels @115. If rows and pixels
// equal the strides, as there, each pixel occurs once: space to depth.
//
// Spread bands hold what the kernel reads of a band for each output pixel separately, aligned to 64
// bytes: [bands, W', 64]. That is im2col of a few kernel rows, for AMX tiles, whose rows load four
// times as fast if none crosses a cache line.

namespace ctq::kernels::simd {

/// There is a band for each output row.
struct row_bands {
  int rows = 1;    // of a band
  int pixels = 1;  // of a row that remain contiguous
  bool spread = false;

  /// Whether the image is rearranged at all.
  [[nodiscard]] constexpr bool any() const { return rows > 1 || pixels > 1 || spread; }

  friend constexpr bool operator==(const row_bands&, const row_bands&) = default;
};

/// Elements of an output pixel in a spread band.
inline constexpr int spread_pixel = 64;

/// Whether a kernel can read bands: its rows must start at the start of a band, and the same holds
/// for pixels.
[[nodiscard]] constexpr bool can_band(const conv2d_shape& s, const row_bands& b) {
  const bool rows = b.rows >= s.kernel_h || b.rows * s.dilation_h % s.stride_h == 0;
  const bool touching = s.groups == 1 && s.dilation_w == 1;
  if (b.spread) {
    return rows && touching && b.pixels == 1 && b.rows * s.kernel_w * s.in_channels <= spread_pixel;
  }
  return rows && (b.pixels == 1 || (touching && b.pixels == s.stride_w));
}

/// The equivalent convolution of one image in bands: its rows are bands, and `pixels` pixels of
/// each row of a band are one of its pixels. The padding is part of the image.
[[nodiscard]] constexpr conv2d_shape banded(const conv2d_shape& s, const row_bands& b) {
  conv2d_shape t = s;
  t.batch = 1;
  t.in_channels = b.spread ? spread_pixel : s.in_channels * b.rows * b.pixels;
  t.kernel_h = ceil_div(s.kernel_h, b.rows);
  t.kernel_w = b.spread ? 1 : ceil_div(s.kernel_w, b.pixels);
  t.stride_h = 1;
  t.stride_w = b.spread ? 1 : s.stride_w / b.pixels;
  t.padding_h = t.padding_w = 0;
  t.dilation_h = t.kernel_h > 1 ? b.rows * s.dilation_h / s.stride_h : 1;
  t.in_h = s.out_h() + t.dilation_h * (t.kernel_h - 1);
  t.in_w = (s.out_w() - 1) * t.stride_w + t.dilation_w * (t.kernel_w - 1) + 1;
  return t;
}

/// The index in the kernel [kh,kw,I/g] of a weight of the banded kernel [kh',kw',I'/g], or -1 if
/// there is none: bands may have more rows than remain of the kernel.
[[nodiscard]] constexpr int unbanded_weight(const conv2d_shape& s, const row_bands& b, int index) {
  if (b.spread) {
    const int of_row = s.kernel_w * s.in_channels;
    const int row = index % spread_pixel / of_row;
    const int from = index / spread_pixel * b.rows + row;
    return row < b.rows && from < s.kernel_h ? from * of_row + index % spread_pixel % of_row : -1;
  }
  const int channels = s.in_group();
  const int kernel_w = ceil_div(s.kernel_w, b.pixels);
  const int pixel = index / channels;
  const int part = pixel / b.pixels;
  const int tap = part / b.rows;
  const int y = tap / kernel_w * b.rows + part % b.rows;
  const int x = tap % kernel_w * b.pixels + pixel % b.pixels;
  if (y >= s.kernel_h || x >= s.kernel_w) return -1;
  return (y * s.kernel_w + x) * channels + index % channels;
}

/// The padded rows of one band, before they are interleaved, in the workspace after the bands.
struct band_lines {
  std::ptrdiff_t length;  // of a row, in elements
  std::ptrdiff_t start;   // of the first row, after the bands and what copies write past their end
  std::ptrdiff_t end;
};

/// Bytes of the longest copy, by which it may pass the end.
inline constexpr int longest_band_copy = 64;

[[nodiscard]] constexpr band_lines band_lines_of(const conv2d_shape& s, const row_bands& b) {
  const conv2d_shape t = banded(s, b);
  const auto bands = std::ptrdiff_t{t.in_h} * t.in_w * t.in_channels;
  const auto length = std::ptrdiff_t{std::max(s.padded_w(), t.in_w * b.pixels)} * s.in_channels;
  return {length, bands + longest_band_copy, bands + longest_band_copy + length * b.rows};
}

/// Parts of rows: `count` of `length` bytes each, `step` apart; those of all rows are written
/// contiguously at multiples of `pitch`.
struct line_parts {
  int count, length, step, pitch;
};

/// Interleaves the parts of all rows. All copies have Width bytes: the excess is overwritten by the
/// next copy or not read; a call of memcpy would take longer than the copy.
template <int Width, class T, class Rows>
[[gnu::always_inline]] inline void interleave(const T* lines, std::ptrdiff_t line, Rows rows,
                                              const line_parts& parts, T* out) {
  static_assert(sizeof(T) == 1 && Width <= longest_band_copy);
  for (int i = 0; i < parts.count; ++i, lines += parts.step, out += parts.pitch) {
    const T* from = lines;
    T* to = out;
    for (int row = 0; row < rows; ++row, from += line, to += parts.length) {
      std::memcpy(to, from, Width);
    }
  }
}

/// The same with the width that fits. Few rows are unrolled (7x7/2 of 3 channels @224, bands of
/// two, on Zen 4: 10.7 instead of 17.8 us).
template <class T>
[[gnu::always_inline]] inline void interleave(const T* lines, std::ptrdiff_t line, int rows,
                                              const line_parts& parts, T* out) {
  const auto with_rows = [&](auto n) __attribute__((always_inline)) {
    if (parts.length <= 8) return interleave<8>(lines, line, n, parts, out);
    if (parts.length <= 16) return interleave<16>(lines, line, n, parts, out);
    if (parts.length <= 32) return interleave<32>(lines, line, n, parts, out);
    interleave<64>(lines, line, n, parts, out);
  };
  constexpr int few = 4;
  if (rows > few) return with_rows(rows);
  with_constant<few>(rows, with_rows);
}

/// A row of an image. Not copy_n: g++ 12 would call memmove for 28 bytes.
template <class T>
[[gnu::always_inline]] inline void copy_row(const T* from, std::ptrdiff_t count, T* to) {
  if (count > 0) std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(T));
}

/// Copies an image [H,W,C] into bands.
///
/// Shapes    in of s · out of banded(s, b), then space for band_lines and one copy
/// Requires  can_band(s, b) · contiguous pixels have at most longest_band_copy bytes
template <class T>
[[gnu::always_inline]] inline void copy_in_bands(const conv2d_shape& s, const row_bands& b,
                                                 const T* in, std::int32_t zero_point, T* out) {
  const conv2d_shape t = banded(s, b);
  const band_lines at = band_lines_of(s, b);
  const auto border = static_cast<T>(zero_point);
  const std::ptrdiff_t row = std::ptrdiff_t{s.in_w} * s.in_channels;
  const std::ptrdiff_t side = std::ptrdiff_t{s.padding_w} * s.in_channels;
  const int length = s.in_group() * b.pixels;
  const line_parts parts =
      b.spread
          ? line_parts{t.in_w, s.kernel_w * s.in_channels, s.stride_w * s.in_channels, spread_pixel}
          : line_parts{t.in_w * s.groups, length, length, length * b.rows};
  T* const lines = out + at.start;
  // Copies and the last read of a tile may pass the end of the bands.
  std::fill(lines - longest_band_copy, out + at.end + longest_band_copy, border);
  for (int y = 0; y < t.in_h; ++y) {
    for (int i = 0; i < b.rows; ++i) {
      const int from = y * s.stride_h + i * s.dilation_h - s.padding_h;
      T* const to = lines + i * at.length + side;
      if (from >= 0 && from < s.in_h) {
        copy_row(in + from * row, row, to);
      } else {
        std::fill_n(to, row, border);
      }
    }
    interleave(lines, at.length, b.rows, parts, out);
    out += std::ptrdiff_t{t.in_w} * t.in_channels;
  }
}

}  // namespace ctq::kernels::simd
