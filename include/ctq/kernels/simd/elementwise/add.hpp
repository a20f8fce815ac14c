// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <type_traits>

#include "ctq/kernels/reference/add.hpp"
#include "ctq/kernels/simd/arch/fixed_sum_avx512.hpp"
#include "ctq/kernels/simd/elementwise/dequantize_apply_quantize.hpp"
#include "ctq/kernels/simd/elementwise/fixed_sum.hpp"
#include "ctq/kernels/simd/elementwise/relu.hpp"
#include "ctq/kernels/simd/rounding.hpp"

namespace ctq::kernels::simd {

/// Of products, each of which is rounded before they are added.
template <vectorized Isa>
struct real_sum {
  [[nodiscard, gnu::always_inline]] float operator()(float x, float y) const noexcept {
    return no_contract(x) + no_contract(y);
  }
  [[nodiscard, gnu::always_inline]] batch<Isa, float> operator()(
      const batch<Isa, float>& x, const batch<Isa, float>& y) const noexcept {
    return rounded<Isa>(x) + rounded<Isa>(y);
  }
};

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
/// The blocks of Q in integers, and in floats where a sum is near a tie. Where ties are many, as
/// they are with scales in simple proportions, some blocks are not tried.
template <class Isa, quantized Q, class Floats>
class fixed_or_float_sum {
 public:
  /// Zero points that are moved by `offset`, as the bytes of an int8 are.
  static constexpr int offset = std::is_signed_v<Q> ? 128 : 0;

  [[gnu::always_inline]] fixed_or_float_sum(const fixed_sum& fixed, const Floats& floats,
                                            const quantizer& to, const Q* a, const Q* b) noexcept
      : fixed_(fixed), floats_(floats), a_(a), b_(b) {
    const output_steps ends = steps_of(to);
    low_ = bytes(static_cast<std::uint8_t>(ends.lo + offset));
    high_ = bytes(static_cast<std::uint8_t>(ends.hi + offset));
    whole_ = ends.hi - ends.lo == 255;
  }

  [[nodiscard, gnu::always_inline]] batch<Isa, Q> operator()(int i) noexcept {
    if (untried_ > 0) [[unlikely]] {
      --untried_;
      return in_floats(floats_, i);
    }
    bool near;
    const auto load = [](const Q* p) __attribute__((always_inline)) {
      return static_cast<__m512i>(part_dequantizer<Isa>::load(p));
    };
    bytes q(fixed_(load(a_ + i), load(b_ + i), near));
    if (near) [[unlikely]] {
      untried_ = since_ < 4 ? 30 : 0;
      since_ = 0;
      return in_floats(floats_, i);
    }
    ++since_;
    if (!whole_) q = xsimd::min(xsimd::max(q, low_), high_);
    if (offset != 0) q = q ^ bytes(std::uint8_t{offset});
    return batch<Isa, Q>(static_cast<__m512i>(q));
  }

 private:
  using bytes = batch<Isa, std::uint8_t>;

  /// Out of line, since it is seldom wanted, and without *this, which clang would keep in memory
  /// for it (clang 19, 64 Mi on Zen 4: 7.9 instead of 7.3 ms).
  [[nodiscard, gnu::noinline]] static batch<Isa, Q> in_floats(const Floats& floats,
                                                              int i) noexcept {
    return floats(i);
  }

  fixed_sum_lanes<Isa> fixed_;
  const Floats& floats_;
  bytes low_, high_;
  bool whole_;  // of the range of a byte, to which q is saturated
  const Q *a_, *b_;
  int untried_ = 0;  // blocks
  int since_ = 4;    // the last near one
};
#endif

/// As reference::add on integers, byte for byte. relu lies in the clamp.
template <class Isa, quantized Q>
[[gnu::always_inline]] inline void add(elementwise_shape shape, const Q* a, const qparams& a_q,
                                       const Q* b, const qparams& b_q, const qparams& out_q, Q* out,
                                       bool relu) noexcept {
  if constexpr (!vectorized<Isa>) {
    reference::add(shape, a, a_q, b, b_q, out_q, out, relu);
  } else {
    const quantizer to = relu ? with_relu(quantizer_of(out_q)) : quantizer_of(out_q);
    const bool fits = steps_fit(a_q.scale, to) && steps_fit(b_q.scale, to);
    const quantized_operand<Q> x{a, a_q}, y{b, b_q};
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
    if constexpr (isa::includes<Isa, isa::avx512>) {
      const auto floats = block_through_floats<Isa, Q>(to, real_sum<Isa>{}, x, y);
      using sum = fixed_or_float_sum<Isa, Q, decltype(floats)>;
      const fixed_sum fixed(a_q.scale, a_q.zero_point + sum::offset, b_q.scale,
                            b_q.zero_point + sum::offset, to, out_q.zero_point + sum::offset);
      if (fits && fixed.usable()) {
        sum blocks(fixed, floats, to, a, b);
        return for_elements<Isa>(
            shape.count, out, [&](int i) __attribute__((always_inline)) { return blocks(i); },
            element_through_floats(out, to, real_sum<Isa>{}, x, y), a, b);
      }
    }
#endif
    dequantize_apply_quantize<Isa>(shape, fits, out, to, real_sum<Isa>{}, x, y);
  }
}

/// As reference::add on floats, bit for bit.
template <class Isa>
[[gnu::always_inline]] inline void add(elementwise_shape shape, const float* a, const float* b,
                                       float* out, bool relu) noexcept {
  if constexpr (!vectorized<Isa>) {
    reference::add(shape, a, b, out, relu);
  } else {
    for_floats<Isa>(
        shape, out, relu,
        [](const auto& x, const auto& y) __attribute__((always_inline)) { return x + y; }, a, b);
  }
}

}  // namespace ctq::kernels::simd
