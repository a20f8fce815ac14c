// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstring>

#include "ctq/core/shapes/layout_shapes.hpp"
#include "ctq/kernels/reference/data_movement/pad.hpp"
#include "ctq/kernels/xsimd.hpp"

namespace ctq::kernels::simd {

template <class T>
[[gnu::always_inline]] inline void copy_run(const T* in, std::ptrdiff_t count, T* out) noexcept {
  std::memcpy(out, in, static_cast<std::size_t>(count) * sizeof(T));
}
template <class T>
[[gnu::always_inline]] inline void fill_run(T x, std::ptrdiff_t count, T* out) noexcept {
  for (std::ptrdiff_t i = 0; i < count; ++i) out[i] = x;
}

/// Rows of the last axis that is padded: its elements are `inner` elements of memory each, and
/// those inside the input are copied together.
template <class T>
[[gnu::always_inline]] inline void pad_rows(const pad_shape& s, const T* in, T filler,
                                            T* out) noexcept {
  int axis = pad_shape::axes - 1;
  std::ptrdiff_t inner = 1, rows = 1;
  for (; axis > 0 && s.before[axis] == 0 && s.in[axis] == s.out[axis]; --axis) inner *= s.in[axis];
  for (int a = 0; a < axis; ++a) rows *= s.out[a];
  const int n = s.in[axis], before = s.before[axis], count = s.out[axis];
  const int first = before < 0 ? 0 : before < count ? before : count;
  const int end = before + n < first ? first : before + n < count ? before + n : count;
  for (std::ptrdiff_t row = 0; row < rows; ++row, out += count * inner) {
    const std::ptrdiff_t offset = reference::padded_offset(s, row, axis);
    if (offset < 0) {
      fill_run(filler, count * inner, out);
      continue;
    }
    const T* const from = in + offset * n * inner;
    const auto outside = [&](int at) __attribute__((always_inline)) {
      const int index = reference::padded_index(at - before, n, s.rule);
      if (index < 0) {
        fill_run(filler, inner, out + at * inner);
      } else {
        copy_run(from + index * inner, inner, out + at * inner);
      }
    };
    for (int at = 0; at < first; ++at) outside(at);
    if (end > first)
      copy_run(from + (first - before) * inner, (end - first) * inner, out + first * inner);
    for (int at = end; at < count; ++at) outside(at);
  }
}

/// As reference::pad, byte for byte: runs of memory are moved, whatever the instruction set.
template <class Isa, quantized Q>
[[gnu::always_inline]] inline void pad(const pad_shape& s, const Q* in, const qparams&,
                                       const qparams& q, Q* out) noexcept {
  pad_rows(s, in, reference::quantize<Q>(s.value(), quantizer_of(q)), out);
}
template <class Isa>
[[gnu::always_inline]] inline void pad(const pad_shape& s, const float* in, float* out) noexcept {
  pad_rows(s, in, s.value(), out);
}

}  // namespace ctq::kernels::simd
