// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/core/shapes/elementwise_shapes.hpp"
#include "ctq/kernels/reference/prelu.hpp"
#include "ctq/kernels/simd/for_blocks.hpp"
#include "ctq/kernels/xsimd.hpp"

namespace ctq::kernels::simd {

/// As reference::prelu, bit for bit. One channel is a row of elements with the same weight.
template <class Isa>
[[gnu::always_inline]] inline void prelu(channels_shape shape, const float* in, const float* weight,
                                         float* out) noexcept {
  if constexpr (!vectorized<Isa>) {
    reference::prelu(shape, in, weight, out);
  } else {
    using floats = batch<Isa, float>;
    const bool one = shape.channels == 1;
    const int width = one ? shape.rows : shape.channels;
    for (std::ptrdiff_t row = 0; row < (one ? 1 : shape.rows); ++row) {
      const float* const from = in + row * width;
      float* const to = out + row * width;
      for_blocks<static_cast<int>(floats::size)>(
          width,
          [&](int c) __attribute__((always_inline)) {
            const floats x = floats::load_unaligned(from + c);
            const floats w = one ? floats(weight[0]) : floats::load_unaligned(weight + c);
            return floats(xsimd::select(x > floats(0.0F), x, x * w));
          },
          [&](int c, const floats& y) __attribute__((always_inline)) { y.store_unaligned(to + c); },
          [&](int c) __attribute__((always_inline)) {
            to[c] = reference::prelu(from[c], weight[one ? 0 : c]);
          });
    }
  }
}

}  // namespace ctq::kernels::simd
