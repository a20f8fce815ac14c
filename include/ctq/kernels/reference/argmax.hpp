// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

#include "ctq/core/shapes/row_shapes.hpp"
#include "ctq/kernels/reference/reduction.hpp"

namespace ctq::kernels::reference {

/// Whether `value` replaces the extreme so far. The first NaN does, and is kept.
[[nodiscard, gnu::always_inline]] constexpr bool comes_before(reduction_rule rule, float value,
                                                              float best) noexcept {
  return replaces(rule, value, best) && best == best;
}

/// Where the largest or smallest elements lie: of several that are equal the first, and the first
/// NaN, if there is one.
///
/// Shapes    out: the axes of `in` that are kept
/// Units     out: an index along the axis that is reduced; of several axes, along them together
/// Source    PyTorch argmax, argmin
[[gnu::always_inline]] inline void argmax(const reduction_shape& s, const float* in,
                                          std::int64_t* out) noexcept {
  const tensor_axes kept = axes_of(s, false), reduced = axes_of(s, true);
  for (std::ptrdiff_t o = 0; o < kept.elements(); ++o) {
    const float* const x = in + kept.offset(o);
    float best = x[0];
    out[o] = 0;
    for (std::ptrdiff_t i = 1; i < reduced.elements(); ++i) {
      const float value = x[reduced.offset(i)];
      if (!comes_before(s.rule, value, best)) continue;
      best = value;
      out[o] = i;
    }
  }
}

}  // namespace ctq::kernels::reference
