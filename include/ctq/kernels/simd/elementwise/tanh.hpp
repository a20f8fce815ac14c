// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/shapes/elementwise_shapes.hpp"
#include "ctq/kernels/reference/tanh.hpp"
#include "ctq/kernels/simd/elementwise/recurrent_gates.hpp"
#include "ctq/kernels/simd/elementwise/relu.hpp"

namespace ctq::kernels::simd {

/// As reference::tanh, bit for bit.
template <class Isa>
[[gnu::always_inline]] inline void tanh(elementwise_shape shape, const float* in,
                                        float* out) noexcept {
  if constexpr (!vectorized<Isa>) {
    reference::tanh(shape, in, out);
  } else {
    for_elements<Isa>(
        shape.count, out,
        [&](int i) __attribute__((always_inline)) {
          return gate_tanh<Isa>(batch<Isa, float>::load_unaligned(in + i));
        },
        [&](int i) __attribute__((always_inline)) { out[i] = kernels::gate_tanh(in[i]); }, in);
  }
}

}  // namespace ctq::kernels::simd
