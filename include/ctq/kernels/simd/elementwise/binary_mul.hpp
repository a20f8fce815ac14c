// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/shapes/elementwise_shapes.hpp"
#include "ctq/kernels/reference/binary_mul.hpp"
#include "ctq/kernels/simd/elementwise/dequantize_apply_quantize.hpp"
#include "ctq/kernels/simd/elementwise/relu.hpp"

namespace ctq::kernels::simd {

struct real_product {
  template <class T>
  [[nodiscard, gnu::always_inline]] T operator()(const T& x, const T& y) const noexcept {
    return x * y;
  }
};

/// Whether products, divided by the output's scale, fit easily in an int32.
[[nodiscard, gnu::always_inline]] constexpr bool product_fits_int32(const qparams& a,
                                                                    const qparams& b,
                                                                    const quantizer& to) {
  return scaled_fits_int32(256.0F * a.scale * b.scale, to);
}

/// As reference::binary_mul on integers, byte for byte. relu is part of the clamp.
template <class Isa, quantized Q>
[[gnu::always_inline]] inline void binary_mul(elementwise_shape shape, const Q* a,
                                              const qparams& a_q, const Q* b, const qparams& b_q,
                                              const qparams& out_q, Q* out, bool relu) noexcept {
  if constexpr (!vectorized<Isa>) {
    reference::binary_mul(shape, a, a_q, b, b_q, out_q, out, relu);
  } else {
    const quantizer to = relu ? with_relu(quantizer_of(out_q)) : quantizer_of(out_q);
    dequantize_apply_quantize<Isa>(shape, product_fits_int32(a_q, b_q, to), out, to, real_product{},
                                   quantized_operand<Q>{a, a_q}, quantized_operand<Q>{b, b_q});
  }
}

/// As reference::binary_mul on floats, bit for bit.
template <class Isa>
[[gnu::always_inline]] inline void binary_mul(elementwise_shape shape, const float* a,
                                              const float* b, float* out, bool relu) noexcept {
  if constexpr (!vectorized<Isa>) {
    reference::binary_mul(shape, a, b, out, relu);
  } else {
    for_floats<Isa>(shape, out, relu, real_product{}, a, b);
  }
}

}  // namespace ctq::kernels::simd
