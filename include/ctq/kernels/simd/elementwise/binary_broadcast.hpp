// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/shapes/elementwise_shapes.hpp"
#include "ctq/kernels/reference/binary_broadcast.hpp"
#include "ctq/kernels/simd/elementwise/binary_add.hpp"
#include "ctq/kernels/simd/elementwise/binary_mul.hpp"
#include "ctq/kernels/simd/elementwise/broadcast_blocks.hpp"
#include "ctq/kernels/simd/elementwise/mul_by_row.hpp"

// Kernels of two tensors that are broadcast against each other, by the kernels for equal shapes.

namespace ctq::kernels::simd {

/// As reference::binary_add_broadcast on integers, byte for byte.
template <class Isa, quantized Q>
[[gnu::noinline]] void binary_add_broadcast(const broadcast_shape& shape, const Q* a,
                                            const qparams& a_q, const Q* b, const qparams& b_q,
                                            const qparams& out_q, Q* out, bool relu) noexcept {
  for_broadcast_blocks(shape, a, b, out, [&](elementwise_shape s, const Q* x, const Q* y, Q* to) {
    binary_add<Isa>(s, x, a_q, y, b_q, out_q, to, relu);
  });
}
/// As reference::binary_add_broadcast on floats, bit for bit.
template <class Isa>
[[gnu::noinline]] void binary_add_broadcast(const broadcast_shape& shape, const float* a,
                                            const float* b, float* out, bool relu) noexcept {
  for_broadcast_blocks(shape, a, b, out,
                       [&](elementwise_shape s, const float* x, const float* y, float* to) {
                         binary_add<Isa>(s, x, y, to, relu);
                       });
}

/// As reference::binary_mul_broadcast on integers, byte for byte.
template <class Isa, quantized Q>
[[gnu::noinline]] void binary_mul_broadcast(const broadcast_shape& shape, const Q* a,
                                            const qparams& a_q, const Q* b, const qparams& b_q,
                                            const qparams& out_q, Q* out, bool relu) noexcept {
  if constexpr (vectorized<Isa>) {
    if (product_fits_int32(a_q, b_q, quantizer_of(out_q))) {
      if (is_mul_by_row<Isa, Q>(shape, 1))
        return mul_by_row<Isa>(shape, a, a_q, b, b_q, 1, out_q, out, relu);
      if (is_mul_by_row<Isa, Q>(shape, 0))
        return mul_by_row<Isa>(shape, b, b_q, a, a_q, 0, out_q, out, relu);
    }
  }
  for_broadcast_blocks(shape, a, b, out, [&](elementwise_shape s, const Q* x, const Q* y, Q* to) {
    binary_mul<Isa>(s, x, a_q, y, b_q, out_q, to, relu);
  });
}
/// As reference::binary_mul_broadcast on floats, bit for bit.
template <class Isa>
[[gnu::noinline]] void binary_mul_broadcast(const broadcast_shape& shape, const float* a,
                                            const float* b, float* out, bool relu) noexcept {
  for_broadcast_blocks(shape, a, b, out,
                       [&](elementwise_shape s, const float* x, const float* y, float* to) {
                         binary_mul<Isa>(s, x, y, to, relu);
                       });
}

/// x - y of two dequantized values, each of which is rounded before the subtraction.
template <vectorized Isa>
struct real_difference {
  [[nodiscard, gnu::always_inline]] float operator()(float x, float y) const noexcept {
    return no_contract(x) - no_contract(y);
  }
  [[nodiscard, gnu::always_inline]] batch<Isa, float> operator()(
      const batch<Isa, float>& x, const batch<Isa, float>& y) const noexcept {
    return rounded<Isa>(x) - rounded<Isa>(y);
  }
};

/// x / y of two dequantized values; 0 / 0 is 0, which is quantized as NaN is.
template <vectorized Isa>
struct real_quotient {
  [[nodiscard, gnu::always_inline]] float operator()(float x, float y) const noexcept {
    return x == 0.0F && y == 0.0F ? 0.0F : x / y;
  }
  [[nodiscard, gnu::always_inline]] batch<Isa, float> operator()(
      const batch<Isa, float>& x, const batch<Isa, float>& y) const noexcept {
    const batch<Isa, float> q = divide<Isa>(x, y);
    return xsimd::select(q == q, q, batch<Isa, float>(0.0F));
  }
};

/// x / y of two floats.
template <vectorized Isa>
struct float_quotient {
  [[nodiscard, gnu::always_inline]] float operator()(float x, float y) const noexcept {
    return x / y;
  }
  [[nodiscard, gnu::always_inline]] batch<Isa, float> operator()(
      const batch<Isa, float>& x, const batch<Isa, float>& y) const noexcept {
    return divide<Isa>(x, y);
  }
};

/// As reference::binary_sub on integers, byte for byte.
template <class Isa, quantized Q>
[[gnu::noinline]] void binary_sub(const broadcast_shape& shape, const Q* a, const qparams& a_q,
                                  const Q* b, const qparams& b_q, const qparams& out_q, Q* out,
                                  bool relu) noexcept {
  if constexpr (!vectorized<Isa>) {
    reference::binary_sub(shape, a, a_q, b, b_q, out_q, out, relu);
  } else {
    const quantizer to = relu ? with_relu(quantizer_of(out_q)) : quantizer_of(out_q);
    const bool fits = scaled_fits_int32(a_q.scale, to) && scaled_fits_int32(b_q.scale, to);
    for_broadcast_blocks(
        shape, a, b, out, [&](elementwise_shape s, const Q* x, const Q* y, Q* block) {
          dequantize_apply_quantize<Isa>(s, fits, block, to, real_difference<Isa>{},
                                         quantized_operand<Q>{x, a_q},
                                         quantized_operand<Q>{y, b_q});
        });
  }
}
/// As reference::binary_sub on floats, bit for bit.
template <class Isa>
[[gnu::noinline]] void binary_sub(const broadcast_shape& shape, const float* a, const float* b,
                                  float* out, bool relu) noexcept {
  if constexpr (!vectorized<Isa>) {
    reference::binary_sub(shape, a, b, out, relu);
  } else {
    for_broadcast_blocks(
        shape, a, b, out, [&](elementwise_shape s, const float* x, const float* y, float* to) {
          for_floats<Isa>(
              s, to, relu,
              [](const auto& p, const auto& q) __attribute__((always_inline)) { return p - q; }, x,
              y);
        });
  }
}

/// As reference::binary_div on integers, byte for byte. Quotients may be infinite, so they are
/// clamped before they are rounded.
template <class Isa, quantized Q>
[[gnu::noinline]] void binary_div(const broadcast_shape& shape, const Q* a, const qparams& a_q,
                                  const Q* b, const qparams& b_q, const qparams& out_q, Q* out,
                                  bool relu) noexcept {
  if constexpr (!vectorized<Isa>) {
    reference::binary_div(shape, a, a_q, b, b_q, out_q, out, relu);
  } else {
    const quantizer to = relu ? with_relu(quantizer_of(out_q)) : quantizer_of(out_q);
    for_broadcast_blocks(shape, a, b, out,
                         [&](elementwise_shape s, const Q* x, const Q* y, Q* block) {
                           dequantize_apply_quantize_wide<Isa>(s, block, to, real_quotient<Isa>{},
                                                               quantized_operand<Q>{x, a_q},
                                                               quantized_operand<Q>{y, b_q});
                         });
  }
}
/// As reference::binary_div on floats, bit for bit.
template <class Isa>
[[gnu::noinline]] void binary_div(const broadcast_shape& shape, const float* a, const float* b,
                                  float* out, bool relu) noexcept {
  if constexpr (!vectorized<Isa>) {
    reference::binary_div(shape, a, b, out, relu);
  } else {
    for_broadcast_blocks(shape, a, b, out,
                         [&](elementwise_shape s, const float* x, const float* y, float* to) {
                           for_floats<Isa>(s, to, relu, float_quotient<Isa>{}, x, y);
                         });
  }
}

}  // namespace ctq::kernels::simd
