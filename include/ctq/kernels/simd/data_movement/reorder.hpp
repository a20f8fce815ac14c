// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstring>

#include "ctq/core/shapes/layout_shapes.hpp"
#include "ctq/kernels/reference/data_movement/reorder.hpp"
#include "ctq/kernels/simd/data_movement/transpose.hpp"
#include "ctq/kernels/simd/for_blocks.hpp"

namespace ctq::kernels::simd {

namespace reordering {

inline constexpr int axes = reorder_shape::axes;

/// Calls f(first element in, first element out) for each index of all axes but two.
template <class F>
[[gnu::always_inline]] inline void for_other_axes(const reorder_shape& s, int one, int two,
                                                  F f) noexcept {
  std::ptrdiff_t step_out[axes];
  std::ptrdiff_t count = 1;
  for (int axis = axes - 1; axis >= 0; --axis) {
    step_out[axis] = count;
    count *= s.extent[axis];
  }
  if (count == 0) return;
  int index[axes]{};
  std::ptrdiff_t from = s.offset;
  std::ptrdiff_t to = 0;
  for (;;) {
    f(from, to);
    int axis = axes - 1;
    for (; axis >= 0; --axis) {
      if (axis == one || axis == two) continue;
      from += s.stride[axis];
      to += step_out[axis];
      if (++index[axis] < s.extent[axis]) break;
      from -= static_cast<std::ptrdiff_t>(s.stride[axis]) * s.extent[axis];
      to -= step_out[axis] * s.extent[axis];
      index[axis] = 0;
    }
    if (axis < 0) return;
  }
}

}  // namespace reordering

/// As reference::reorder: contiguous rows are copied, an axis that is contiguous in the input is
/// transposed with the last one.
template <class Isa, class T>
[[gnu::always_inline]] inline void reorder(const reorder_shape& s, const T* in, T* out) noexcept {
  constexpr int last = reordering::axes - 1;
  const int columns = s.extent[last];
  if constexpr (vectorized<Isa>) {
    // A call of memcpy takes longer than a short row.
    constexpr int register_elements = static_cast<int>(batch<Isa, T>::size);
    if (s.stride[last] == 1 && columns < 8 * register_elements) {
      return with_width<Isa, T>(
          columns, [&](auto width) __attribute__((always_inline)) {
            using lanes = batch<decltype(width), T>;
            reordering::for_other_axes(
                s, last,
                last, [&](std::ptrdiff_t from, std::ptrdiff_t to) __attribute__((always_inline)) {
                  for_blocks<static_cast<int>(lanes::size)>(
                      columns,
                      [&](int i) __attribute__((always_inline)) {
                        return lanes::load_unaligned(in + from + i);
                      },
                      [&](int i, const lanes& x)
                          __attribute__((always_inline)) { x.store_unaligned(out + to + i); },
                      [&](int i) __attribute__((always_inline)) { out[to + i] = in[from + i]; });
                });
          });
    }
  }
  if (s.stride[last] == 1) {
    return reordering::for_other_axes(
        s, last, last, [&](std::ptrdiff_t from, std::ptrdiff_t to) __attribute__((always_inline)) {
          std::memcpy(out + to, in + from, static_cast<std::size_t>(columns) * sizeof(T));
        });
  }
  if constexpr (vectorized<Isa>) {
    constexpr int n = block_columns<T>;
    int across = last - 1;
    while (across >= 0 && (s.stride[across] != 1 || s.extent[across] < n)) --across;
    if (across >= 0 && columns >= n) {
      const int rows = s.extent[across];
      std::ptrdiff_t out_stride = 1;
      for (int axis = across + 1; axis <= last; ++axis) out_stride *= s.extent[axis];
      const std::ptrdiff_t in_stride = s.stride[last];
      return with_width<Isa, T>(
          columns, [&](auto width) __attribute__((always_inline)) {
            constexpr int m = block_rows<decltype(width), T>;
            reordering::for_other_axes(
                s, across,
                last, [&](std::ptrdiff_t from, std::ptrdiff_t to) __attribute__((always_inline)) {
                  for (int i = 0; i < columns; i += m) {
                    const int c = i < columns - m ? i : columns - m;
                    for (int j = 0; j < rows; j += n) {
                      const int r = j < rows - n ? j : rows - n;
                      transpose_block<decltype(width)>(in + from + c * in_stride + r, in_stride,
                                                       out + to + r * out_stride + c, out_stride);
                    }
                  }
                });
          });
    }
  }
  reference::reorder(s, in, out);
}

}  // namespace ctq::kernels::simd
