// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <type_traits>

#include "ctq/core/shapes/elementwise_shapes.hpp"
#include "ctq/kernels/reference/binary_add.hpp"
#include "ctq/kernels/simd/arch/fixed_point_sum_avx512.hpp"
#include "ctq/kernels/simd/arch/rounding.hpp"
#include "ctq/kernels/simd/elementwise/dequantize_apply_quantize.hpp"
#include "ctq/kernels/simd/elementwise/fixed_point_sum.hpp"
#include "ctq/kernels/simd/elementwise/relu.hpp"

namespace ctq::kernels::simd {

/// x + y of two dequantized values, each of which is rounded before the addition.
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

/// Adds registers of Q with integers, or with floats where a sum is close to a tie. Where ties are
/// frequent, as with scales in simple ratios, some blocks skip the integer attempt.
template <class Isa, quantized Q, class Floats>
class fixed_point_or_float_sum {
 public:
  /// Added to int8 values and zero points to make them uint8.
  static constexpr int offset = std::is_signed_v<Q> ? 128 : 0;

  [[gnu::always_inline]] fixed_point_or_float_sum(const fixed_point_sum& fixed,
                                                  const Floats& floats, const quantizer& to,
                                                  const Q* a, const Q* b) noexcept
      : fixed_(fixed), floats_(floats), a_(a), b_(b) {
    const output_range range = output_range_of(to);
    low_ = bytes(static_cast<std::uint8_t>(range.lo + offset));
    high_ = bytes(static_cast<std::uint8_t>(range.hi + offset));
    full_range_ = range.hi - range.lo == 255;
  }

  [[nodiscard, gnu::always_inline]] batch<Isa, Q> operator()(int i) noexcept {
    if (skip_blocks_ > 0) [[unlikely]] {
      --skip_blocks_;
      return in_floats(floats_, i);
    }
    bool near_tie;
    const auto load = [](const Q* p) __attribute__((always_inline)) {
      return static_cast<typename bytes::register_type>(byte_dequantizer<Isa>::load(p));
    };
    bytes q(fixed_(load(a_ + i), load(b_ + i), near_tie));
    if (near_tie) [[unlikely]] {
      skip_blocks_ = since_tie_ < 4 ? 30 : 0;
      since_tie_ = 0;
      return in_floats(floats_, i);
    }
    ++since_tie_;
    if (!full_range_) q = xsimd::min(xsimd::max(q, low_), high_);
    if (offset != 0) q = q ^ bytes(std::uint8_t{offset});
    return batch<Isa, Q>(static_cast<typename bytes::register_type>(q));
  }

 private:
  using bytes = batch<Isa, std::uint8_t>;

  /// Out of line, since it is rarely called, and static, since clang would keep *this in memory for
  /// it (clang 19, 64 Mi on Zen 4: 7.9 instead of 7.3 ms).
  [[nodiscard, gnu::noinline]] static batch<Isa, Q> in_floats(const Floats& floats,
                                                              int i) noexcept {
    return floats(i);
  }

  fixed_point_sum_lanes<Isa> fixed_;
  const Floats& floats_;
  bytes low_, high_;
  bool full_range_;  // the output range is that of a byte, to which q is saturated
  const Q *a_, *b_;
  int skip_blocks_ = 0;  // that many blocks use floats
  int since_tie_ = 4;    // blocks since the last one close to a tie
};

/// As reference::binary_add on integers, byte for byte. relu is part of the clamp.
template <class Isa, quantized Q>
[[gnu::always_inline]] inline void binary_add(elementwise_shape shape, const Q* a,
                                              const qparams& a_q, const Q* b, const qparams& b_q,
                                              const qparams& out_q, Q* out, bool relu) noexcept {
  if constexpr (!vectorized<Isa>) {
    reference::binary_add(shape, a, a_q, b, b_q, out_q, out, relu);
  } else {
    const quantizer to = relu ? with_relu(quantizer_of(out_q)) : quantizer_of(out_q);
    const bool fits = scaled_fits_int32(a_q.scale, to) && scaled_fits_int32(b_q.scale, to);
    const quantized_operand<Q> x{a, a_q}, y{b, b_q};
    if constexpr (isa::includes<Isa, isa::avx512>) {
      const auto floats = dequantize_apply_quantize_block<Isa, Q>(to, real_sum<Isa>{}, x, y);
      using sum = fixed_point_or_float_sum<Isa, Q, decltype(floats)>;
      const fixed_point_sum fixed(a_q.scale, a_q.zero_point + sum::offset, b_q.scale,
                                  b_q.zero_point + sum::offset, to, out_q.zero_point + sum::offset);
      if (fits && fixed.usable()) {
        sum blocks(fixed, floats, to, a, b);
        return for_elements<Isa>(
            shape.count, out, [&](int i) __attribute__((always_inline)) { return blocks(i); },
            dequantize_apply_quantize_at(out, to, real_sum<Isa>{}, x, y), a, b);
      }
    }
    dequantize_apply_quantize<Isa>(shape, fits, out, to, real_sum<Isa>{}, x, y);
  }
}

/// As reference::binary_add on floats, bit for bit.
template <class Isa>
[[gnu::always_inline]] inline void binary_add(elementwise_shape shape, const float* a,
                                              const float* b, float* out, bool relu) noexcept {
  if constexpr (!vectorized<Isa>) {
    reference::binary_add(shape, a, b, out, relu);
  } else {
    for_floats<Isa>(
        shape, out, relu,
        [](const auto& x, const auto& y) __attribute__((always_inline)) { return x + y; }, a, b);
  }
}

}  // namespace ctq::kernels::simd
