// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/core/shapes/row_shapes.hpp"
#include "ctq/kernels/reference/softmax.hpp"

namespace ctq::kernels::reference {

/// Writes the row of a query: its scaled scores, then zeros for the keys that it does not read.
/// Returns the number of keys that it reads.
[[gnu::always_inline]] inline int scaled_scores(const attention_shape& s, std::ptrdiff_t row,
                                                const float* in, float* out) noexcept {
  const int query = static_cast<int>(row % s.queries);
  const int count = s.causal != 0 && query + 1 < s.keys ? query + 1 : s.keys;
  for (int k = 0; k < count; ++k) out[k] = in[k] * s.scale();
  for (int k = count; k < s.keys; ++k) out[k] = 0.0F;
  return count;
}

/// Softmax along the keys that a query reads, on float32:
///
///   out = softmax(in * scale)
///
/// Shapes    in, out [rows, keys]; row i is of query i % queries
/// Source    PyTorch scaled_dot_product_attention
inline void attention_softmax(const attention_shape& s, const float* in, float* out) noexcept {
  for (std::ptrdiff_t row = 0; row < s.rows; ++row, in += s.keys, out += s.keys) {
    const int count = scaled_scores(s, row, in, out);
    softmax({.rows = 1, .count = count}, out, out);
  }
}

}  // namespace ctq::kernels::reference
