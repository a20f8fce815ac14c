// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstring>

#include "ctq/core/shapes/layout_shapes.hpp"
#include "ctq/core/unroll.hpp"
#include "ctq/kernels/reference/data_movement/transpose.hpp"
#include "ctq/kernels/simd/register_conversions.hpp"
#include "ctq/kernels/simd/widths.hpp"

namespace ctq::kernels::simd {

/// Registers that a transpose loads: each 128 bits are from another row, since registers interleave
/// only within 128 bits.
template <class Isa, class T>
struct row_parts {
  using vec = batch<Isa, T>;
  [[gnu::always_inline]] static vec load(const T* p, std::ptrdiff_t) {
    return vec::load_unaligned(p);
  }
  [[gnu::always_inline]] static vec zip_low(vec a, vec b) { return xsimd::zip_lo(a, b); }
  [[gnu::always_inline]] static vec zip_high(vec a, vec b) { return xsimd::zip_hi(a, b); }
  [[gnu::always_inline]] static void store(vec x, T* p) { x.store_unaligned(p); }
};
template <class Isa, class T>
requires(sizeof(batch<Isa, T>) > 16) struct row_parts<Isa, T> {
  using registers = typename conversions<xsimd_arch<Isa>>::registers;
  using vec = typename registers::vec;
  static constexpr bool bytes = sizeof(T) == 1;

  /// The rows of the parts are `stride` elements apart.
  [[gnu::always_inline]] static vec load(const T* p, std::ptrdiff_t stride) {
    return registers::load_parts(reinterpret_cast<const std::byte*>(p),
                                 stride * std::ptrdiff_t{sizeof(T)});
  }
  [[gnu::always_inline]] static vec zip_low(vec a, vec b) {
    return bytes ? registers::zip_low8(a, b) : registers::zip_low32(a, b);
  }
  [[gnu::always_inline]] static vec zip_high(vec a, vec b) {
    return bytes ? registers::zip_high8(a, b) : registers::zip_high32(a, b);
  }
  [[gnu::always_inline]] static void store(vec x, T* p) { registers::save(p, x); }
};

/// The elements of 128 bits: the columns of a block.
template <class T>
inline constexpr int block_columns = 16 / sizeof(T);
/// The elements of a register: the rows of a block.
template <class Isa, class T>
inline constexpr int block_rows = static_cast<int>(batch<Isa, T>::size);

/// Transposes a block: out[j][i] = in[i][j]. Interleaving row i with row i + n/2 doubles the
/// contiguous runs of a column; log2(n) rounds complete the transpose.
template <class Isa, class T>
[[gnu::always_inline]] inline void transpose_block(const T* in, std::ptrdiff_t in_stride, T* out,
                                                   std::ptrdiff_t out_stride) noexcept {
  using parts = row_parts<Isa, T>;
  constexpr int n = block_columns<T>;
  constexpr int rounds = n == 16 ? 4 : 2;
  static_assert(n == 1 << rounds);
  typename parts::vec row[n], next[n];
  unroll<n>([&](auto i) __attribute__((always_inline)) {
    row[i] = parts::load(in + i * in_stride, n * in_stride);
  });
  const auto interleave = [&]() __attribute__((always_inline)) {
    unroll<n / 2>([&](auto i) __attribute__((always_inline)) {
      next[2 * i] = parts::zip_low(row[i], row[i + n / 2]);
      next[2 * i + 1] = parts::zip_high(row[i], row[i + n / 2]);
    });
    unroll<n>([&](auto i) __attribute__((always_inline)) { row[i] = next[i]; });
  };
  unroll<rounds>([&](auto) __attribute__((always_inline)) { interleave(); });
  unroll<n>([&](auto i)
                __attribute__((always_inline)) { parts::store(row[i], out + i * out_stride); });
}

/// out[j, i] = in[i, j] for in [rows, columns]. The last blocks overlap the previous ones.
template <class Isa, class T>
[[gnu::always_inline]] inline void transpose(int rows, int columns, const T* in, T* out) noexcept {
  constexpr int n = block_columns<T>;
  if (rows == 1 || columns == 1) {
    const std::size_t count = static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
    std::memcpy(out, in, count * sizeof(T));
  } else if (rows < n || columns < n) {
    reference::to_nhwc({.batch = 1, .channels = rows, .pixels = columns}, in, out);
  } else {
    const std::ptrdiff_t in_stride = columns;
    const std::ptrdiff_t out_stride = rows;
    with_width<Isa, T>(
        rows, [&](auto width) __attribute__((always_inline)) {
          constexpr int m = block_rows<decltype(width), T>;
          const auto block = [&](int i, int j) __attribute__((always_inline)) {
            const int r = i < rows - m ? i : rows - m;
            const int c = j < columns - n ? j : columns - n;
            transpose_block<decltype(width)>(in + r * in_stride + c, in_stride,
                                             out + c * out_stride + r, out_stride);
          };
          // The inner loop runs along the longer side. Cache lines that are far apart share few
          // sets of the cache; this order uses them up before they are evicted.
          if (rows <= columns) {
            for (int i = 0; i < rows; i += m)
              for (int j = 0; j < columns; j += n) block(i, j);
          } else {
            for (int j = 0; j < columns; j += n)
              for (int i = 0; i < rows; i += m) block(i, j);
          }
        });
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
