// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/core/shapes/row_shapes.hpp"
#include "ctq/kernels/reference/attention_softmax.hpp"
#include "ctq/kernels/simd/elementwise/softmax.hpp"

namespace ctq::kernels::simd {

/// As reference::attention_softmax, bit for bit but for the bits of NaN.
template <class Isa>
[[gnu::always_inline]] inline void attention_softmax(const attention_shape& s, const float* in,
                                                     float* out) noexcept {
  for (std::ptrdiff_t row = 0; row < s.rows; ++row, in += s.keys, out += s.keys) {
    const int count = reference::scaled_scores(s, row, in, out);
    simd::softmax<Isa>({.rows = 1, .count = count}, out, out);
  }
}

}  // namespace ctq::kernels::simd
