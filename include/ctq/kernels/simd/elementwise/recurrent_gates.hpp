// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/kernels/reference/recurrent/recurrent_gates.hpp"
#include "ctq/kernels/simd/arch/avx512_warnings.hpp"
#include "ctq/kernels/simd/arch/rounding.hpp"
#include "ctq/kernels/simd/elementwise/exponential.hpp"

CTQ_BEGIN_AVX512

namespace ctq::kernels::simd {

/// As kernels::gate_sigmoid in each lane, bit for bit.
template <vectorized Isa>
[[nodiscard, gnu::always_inline]] inline batch<Isa, float> gate_sigmoid(
    batch<Isa, float> x) noexcept {
  using floats = batch<Isa, float>;
  const floats zero(0.0F), one(1.0F);
  const floats e = exp_of_negative<Isa>(zero - xsimd::abs(x));
  const floats s = divide<Isa>(one, one + e);
  return xsimd::select(x < zero, e * s, s);
}

/// As kernels::gate_tanh in each lane, bit for bit.
template <vectorized Isa>
[[nodiscard, gnu::always_inline]] inline batch<Isa, float> gate_tanh(batch<Isa, float> x) noexcept {
  using floats = batch<Isa, float>;
  const floats zero(0.0F), one(1.0F);
  const floats e = rounded<Isa>(exp_of_negative<Isa>(floats(-2.0F) * xsimd::abs(x)));
  const floats t = divide<Isa>(one - e, one + e);
  return xsimd::select(x < zero, zero - t, t);
}

/// As reference::next_hidden, for a register of elements.
template <vectorized Isa>
[[nodiscard, gnu::always_inline]] inline batch<Isa, float> next_hidden(
    recurrent_cell cell, const float* x, const float* past, std::ptrdiff_t hidden, std::ptrdiff_t i,
    const float* h, float* c) noexcept {
  using floats = batch<Isa, float>;
  const auto at = [&](const float* from, int gate) __attribute__((always_inline)) {
    return floats::load_unaligned(from + gate * hidden + i);
  };
  const auto both = [&](int gate) __attribute__((always_inline)) {
    return at(x, gate) + at(past, gate);
  };
  switch (cell) {
    case recurrent_cell::rnn_tanh: return gate_tanh<Isa>(both(0));
    case recurrent_cell::rnn_relu: {
      const floats sum = both(0);
      return xsimd::select(sum > floats(0.0F), sum, floats(0.0F));
    }
    case recurrent_cell::lstm: {
      const floats kept = rounded<Isa>(gate_sigmoid<Isa>(both(1)) * floats::load_unaligned(c + i));
      const floats next = kept + rounded<Isa>(gate_sigmoid<Isa>(both(0)) * gate_tanh<Isa>(both(2)));
      next.store_unaligned(c + i);
      return gate_sigmoid<Isa>(both(3)) * gate_tanh<Isa>(next);
    }
    case recurrent_cell::gru: break;
  }
  const floats reset = gate_sigmoid<Isa>(both(0));
  const floats fresh = gate_tanh<Isa>(at(x, 2) + rounded<Isa>(reset * at(past, 2)));
  const floats last = floats::load_unaligned(h + i);
  return fresh + rounded<Isa>(gate_sigmoid<Isa>(both(1)) * (last - fresh));
}

/// As reference::recurrent_gates, bit for bit.
template <class Isa>
[[gnu::noinline]] void recurrent_gates(const recurrent_step& s, const float* x, const float* past,
                                       float* h, float* c, float* to) noexcept {
  if constexpr (!vectorized<Isa>) {
    reference::recurrent_gates(s, x, past, h, c, to);
  } else {
    constexpr int lanes = static_cast<int>(batch<Isa, float>::size);
    const int gates = recurrent_shape{.cell = s.cell}.gates();
    float none = 0.0F;
    for (int row = 0; row < s.rows; ++row) {
      int i = 0;
      for (; i + lanes <= s.hidden; i += lanes) {
        const auto next = next_hidden<Isa>(s.cell, x, past, s.hidden, i, h, c);
        next.store_unaligned(h + i);
        if (to != nullptr) next.store_unaligned(to + i);
      }
      for (; i < s.hidden; ++i) {
        h[i] = reference::next_hidden(s.cell, x, past, s.hidden, i, h[i],
                                      s.cell == recurrent_cell::lstm ? c[i] : none);
        if (to != nullptr) to[i] = h[i];
      }
      x += s.x_stride;
      past += std::ptrdiff_t{gates} * s.hidden;
      h += s.hidden;
      if (s.cell == recurrent_cell::lstm) c += s.hidden;
      if (to != nullptr) to += s.to_stride;
    }
  }
}

}  // namespace ctq::kernels::simd

CTQ_END_AVX512
