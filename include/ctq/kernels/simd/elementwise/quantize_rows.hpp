// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "ctq/core/shapes/elementwise_shapes.hpp"
#include "ctq/core/unroll.hpp"
#include "ctq/kernels/reference/quantize_rows.hpp"
#include "ctq/kernels/simd/elementwise/quantize.hpp"

namespace ctq::kernels::simd {

/// max |in[i]|, ignoring NaN; 0 if there is no number.
template <vectorized Isa>
[[nodiscard, gnu::always_inline]] inline float largest_magnitude(const float* in,
                                                                 int count) noexcept {
  using floats = batch<Isa, float>;
  constexpr int n = float_lanes<Isa>;
  constexpr int at_once = 4;
  float buffer[n];
  floats largest[at_once] = {floats(0.0F), floats(0.0F), floats(0.0F), floats(0.0F)};
  const auto update = [](floats & most, const floats& x) __attribute__((always_inline)) {
    const floats magnitude = xsimd::abs(x);
    most = xsimd::select(magnitude > most, magnitude, most);  // false for NaN
  };
  int i = 0;
  for (; i + at_once * n <= count; i += at_once * n) {
    unroll<at_once>([&](auto k) __attribute__((always_inline)) {
      update(largest[k], floats::load_unaligned(in + i + k * n));
    });
  }
  for (; i + n <= count; i += n) update(largest[0], floats::load_unaligned(in + i));
  unroll<at_once - 1>([&](auto k)
                          __attribute__((always_inline)) { update(largest[0], largest[k + 1]); });
  largest[0].store_unaligned(buffer);
  float most = 0.0F;
  for (const float x : buffer) most = x > most ? x : most;
  for (; i < count; ++i) {
    const float x = ::fabsf(in[i]);
    most = x > most ? x : most;
  }
  return most;
}

/// As reference::quantize_rows, bit for bit.
template <class Isa>
[[gnu::always_inline]] inline void quantize_rows(channels_shape shape, const float* in,
                                                 std::int8_t* out, float* scale) noexcept {
  if constexpr (!vectorized<Isa>) {
    reference::quantize_rows(shape, in, out, scale);
  } else {
    for (int row = 0; row < shape.rows; ++row) {
      const qparams q = reference::row_qparams(largest_magnitude<Isa>(in, shape.channels));
      quantize<Isa>({shape.channels}, in, q, out);
      scale[row] = q.scale;
      in += shape.channels;
      out += shape.channels;
    }
  }
}

}  // namespace ctq::kernels::simd
