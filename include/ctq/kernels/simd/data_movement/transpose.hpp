// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstring>

#include "ctq/kernels/reference/data_movement/transpose.hpp"
#include "ctq/kernels/simd/unroll.hpp"
#include "ctq/kernels/simd/widths.hpp"

namespace ctq::kernels::simd {

/// The instruction set with 128-bit registers: wider ones interleave only within 128 bits.
template <class Isa>
using width128 = half_width<half_width<Isa>>;

/// Transposes n x n elements, where a 128-bit register holds n: out[j][i] = in[i][j]. Interleaving
/// row i with row i + n/2 doubles the contiguous runs of a column; log2(n) rounds complete the
/// transpose.
template <class Isa, class T>
[[gnu::always_inline]] inline void transpose_block(const T* in, std::ptrdiff_t in_stride, T* out,
                                                   std::ptrdiff_t out_stride) noexcept {
  using lanes = batch<width128<Isa>, T>;
  constexpr int n = static_cast<int>(lanes::size);
  constexpr int rounds = n == 16 ? 4 : 2;
  static_assert(n == 1 << rounds);
  std::array<lanes, n> row, next;
  unroll<n>([&](auto i) __attribute__((always_inline)) {
    row[i] = lanes::load_unaligned(in + i * in_stride);
  });
  const auto interleave = [&]() __attribute__((always_inline)) {
    unroll<n / 2>([&](auto i) __attribute__((always_inline)) {
      next[2 * i] = xsimd::zip_lo(row[i], row[i + n / 2]);
      next[2 * i + 1] = xsimd::zip_hi(row[i], row[i + n / 2]);
    });
    row = next;
  };
  unroll<rounds>([&](auto) __attribute__((always_inline)) { interleave(); });
  unroll<n>([&](auto i)
                __attribute__((always_inline)) { row[i].store_unaligned(out + i * out_stride); });
}

/// out[j, i] = in[i, j] for in [rows, columns]. The last blocks overlap the previous ones.
template <class Isa, class T>
[[gnu::always_inline]] inline void transpose(int rows, int columns, const T* in, T* out) noexcept {
  constexpr int n = static_cast<int>(batch<width128<Isa>, T>::size);
  if (rows == 1 || columns == 1) {
    const std::size_t count = static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
    std::memcpy(out, in, count * sizeof(T));
  } else if (rows < n || columns < n) {
    reference::to_nhwc({.batch = 1, .channels = rows, .pixels = columns}, in, out);
  } else {
    const std::ptrdiff_t in_stride = columns;
    const std::ptrdiff_t out_stride = rows;
    const auto block = [&](int i, int j) __attribute__((always_inline)) {
      const int r = i < rows - n ? i : rows - n;
      const int c = j < columns - n ? j : columns - n;
      transpose_block<Isa>(in + r * in_stride + c, in_stride, out + c * out_stride + r, out_stride);
    };
    // Along the longer side, so that lines that are far apart are read or written at once: they
    // are few sets of a cache.
    const bool wide = rows <= columns;
    const int shorter = wide ? rows : columns;
    const int longer = wide ? columns : rows;
    for (int i = 0; i < shorter; i += n)
      for (int j = 0; j < longer; j += n) block(wide ? i : j, wide ? j : i);
  }
}

/// As reference::to_nhwc.
template <class Isa, class T>
[[gnu::always_inline]] inline void to_nhwc(transpose_shape shape, const T* in, T* out) noexcept {
  if constexpr (!vectorized<Isa>) {
    reference::to_nhwc(shape, in, out);
  } else {
    const std::ptrdiff_t image = static_cast<std::ptrdiff_t>(shape.channels) * shape.pixels;
    if (image == 0) return;
    for (std::ptrdiff_t i = 0; i < shape.batch; ++i) {
      transpose<Isa>(shape.channels, shape.pixels, in + i * image, out + i * image);
    }
  }
}

/// As reference::to_nchw.
template <class Isa, class T>
[[gnu::always_inline]] inline void to_nchw(transpose_shape shape, const T* in, T* out) noexcept {
  to_nhwc<Isa>(
      transpose_shape{.batch = shape.batch, .channels = shape.pixels, .pixels = shape.channels}, in,
      out);
}

}  // namespace ctq::kernels::simd
