// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/core/shapes/layout_shapes.hpp"
#include "ctq/kernels/reference/quantize.hpp"

namespace ctq::kernels::reference {

/// The element at position i of a padded axis of n elements, where i may be outside; -1: none.
[[nodiscard, gnu::always_inline]] constexpr int padded_index(int i, int n,
                                                             padding_rule rule) noexcept {
  if (i >= 0 && i < n) return i;
  switch (rule) {
    case padding_rule::reflect: return i < 0 ? -i : 2 * (n - 1) - i;
    case padding_rule::replicate: return i < 0 ? 0 : n - 1;
    case padding_rule::circular: return i < 0 ? i + n : i - n;
    case padding_rule::constant: break;
  }
  return -1;
}

/// The input's element for element i of the first `count` axes of the output; -1: there is none.
[[nodiscard, gnu::always_inline]] constexpr std::ptrdiff_t padded_offset(const pad_shape& s,
                                                                         std::ptrdiff_t i,
                                                                         int count) noexcept {
  std::ptrdiff_t from = 0, stride = 1;
  for (int a = count; a-- > 0;) {
    const auto at = static_cast<int>(i % s.out[a]);
    i /= s.out[a];
    const int index = padded_index(at - s.before[a], s.in[a], s.rule);
    if (index < 0) return -1;
    from += index * stride;
    stride *= s.in[a];
  }
  return from;
}

template <class T>
[[gnu::always_inline]] inline void pad_with(const pad_shape& s, const T* in, T filler,
                                            T* out) noexcept {
  std::ptrdiff_t count = 1;
  for (const int extent : s.out) count *= extent;
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    const std::ptrdiff_t from = padded_offset(s, i, pad_shape::axes);
    out[i] = from < 0 ? filler : in[from];
  }
}

/// Padding by a value, quantized as the tensor is, or by elements of the tensor.
///
/// Requires  reflect: less than an extent at each end; circular: at most an extent
/// Units     input and output share their qparams
/// Source    PyTorch torch.nn.functional.pad
template <quantized Q>
[[gnu::always_inline]] inline void pad(const pad_shape& s, const Q* in, const qparams&,
                                       const qparams& q, Q* out) noexcept {
  pad_with(s, in, quantize<Q>(s.value(), quantizer_of(q)), out);
}
[[gnu::always_inline]] inline void pad(const pad_shape& s, const float* in, float* out) noexcept {
  pad_with(s, in, s.value(), out);
}

}  // namespace ctq::kernels::reference
