// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "ctq/kernels/reference/requantize.hpp"
#include "ctq/kernels/simd/convert.hpp"
#include "ctq/kernels/simd/elementwise_loop.hpp"

namespace ctq::kernels::simd {

/// As reference::requantize of accumulators, byte for byte.
/// Requires  |in[i] * multiplier| < 2^31 - 256, as reference::requantize
template <class Isa, quantized Q>
[[gnu::always_inline]] inline void requantize(elementwise_shape shape, const std::int32_t* in,
                                              float multiplier, const output_range& to,
                                              Q* out) noexcept {
  if constexpr (!vectorized<Isa>) {
    reference::requantize(shape, in, multiplier, to, out);
  } else {
    using sums = batch<Isa, std::int32_t>;
    const batch<Isa, float> scale(multiplier);
    const float_narrower<Isa> narrower(to);
    for_elements<Isa>(
        shape.count, out,
        [&](int i) __attribute__((always_inline)) {
          return narrower.template bytes_in_order<Q>([&](int k) __attribute__((always_inline)) {
            return to_float<Isa>(sums::load_unaligned(in + i + k)) * scale;
          });
        },
        [&](int i) __attribute__((always_inline)) {
          out[i] = static_cast<Q>(reference::requantize(in[i], multiplier, to));
        },
        in);
  }
}

}  // namespace ctq::kernels::simd
