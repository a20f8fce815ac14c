// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <type_traits>

#include "ctq/kernels/reference/add.hpp"
#include "ctq/kernels/simd/arch/fixed_sum_avx512.hpp"
#include "ctq/kernels/simd/fixed_sum.hpp"
#include "ctq/kernels/simd/relu.hpp"
#include "ctq/kernels/simd/rounding.hpp"

namespace ctq::kernels::simd {

/// add of scales so far apart that steps must be clamped as floats.
template <vectorized Isa, quantized Q>
[[gnu::noinline]] void add_far(elementwise_shape shape, const Q* a, const qparams& a_q, const Q* b,
                               const qparams& b_q, const quantizer& to, Q* out) noexcept {
  const dequantizer_lanes<Isa> from_a(a_q);
  const dequantizer_lanes<Isa> from_b(b_q);
  const quantizer_lanes<Isa> steps(to);
  for_blocks<4 * float_lanes<Isa>>(
      shape.count,
      [&](int i) __attribute__((always_inline)) {
        return narrow<Isa, Q>([&](int k) __attribute__((always_inline)) {
          return steps(rounded<Isa>(from_a(a + i + k)) + rounded<Isa>(from_b(b + i + k)));
        });
      },
      [&](int i, const batch<Isa, Q>& q)
          __attribute__((always_inline)) { q.store_unaligned(out + i); },
      [&](int i) __attribute__((always_inline)) {
        out[i] = reference::quantize<Q>(reference::add(a[i], a_q, b[i], b_q), to);
      });
}

/// A block of sums as reference::add defines them, in floats. Requires steps_fit of both scales.
template <vectorized Isa>
struct float_sum {
  part_dequantizer<Isa> from_a, from_b;
  batch<Isa, float> inverse;
  step_narrower<Isa> steps;

  template <quantized Q>
  [[gnu::always_inline]] float_sum(const qparams& a_q, const qparams& b_q, const quantizer& to,
                                   std::type_identity<Q> q) noexcept
      : from_a(a_q, q), from_b(b_q, q), inverse(to.inverse), steps(steps_of(to)) {}

  template <quantized Q>
  [[nodiscard, gnu::always_inline]] batch<Isa, Q> operator()(const Q* a,
                                                             const Q* b) const noexcept {
    const auto x = from_a.load(a);
    const auto y = from_b.load(b);
    return steps.template bytes<Q>([&](auto k) __attribute__((always_inline)) {
      return (rounded<Isa>(from_a.template part<k>(x)) + rounded<Isa>(from_b.template part<k>(y))) *
             inverse;
    });
  }
  /// The same out of line, for loops that seldom want it.
  template <quantized Q>
  [[nodiscard, gnu::noinline]] batch<Isa, Q> seldom(const Q* a, const Q* b) const noexcept {
    return (*this)(a, b);
  }
};

/// The blocks of an addition, with the stores that suit where it writes.
template <vectorized Isa, quantized Q, class Sum, class Element>
[[gnu::always_inline]] inline void for_sums(elementwise_shape shape, const Q* a, const Q* b, Q* out,
                                            Sum sum, Element one_by_one) noexcept {
  constexpr int block = 4 * float_lanes<Isa>;
  if (out == a || out == b) {
    for_blocks<block>(
        shape.count, sum,
        [&](int i, const batch<Isa, Q>& q)
            __attribute__((always_inline)) { q.store_unaligned(out + i); },
        one_by_one);
  } else {
    for_streamed_blocks<Isa, block>(shape.count, out, 2 * sizeof(Q), sum, one_by_one);
  }
}

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
/// The blocks in integers, and in floats where a sum is near a tie. Where ties are many, as they
/// are with scales in simple proportions, some blocks are not tried.
template <class Isa, quantized Q>
class fixed_or_float_sum {
 public:
  [[gnu::always_inline]] fixed_or_float_sum(const fixed_sum& fixed, const float_sum<Isa>& floats,
                                            const quantizer& to, const Q* a, const Q* b) noexcept
      : fixed_(fixed), floats_(floats), a_(a), b_(b) {
    const output_steps ends = steps_of(to);
    low_ = bytes(static_cast<std::uint8_t>(ends.lo + offset));
    high_ = bytes(static_cast<std::uint8_t>(ends.hi + offset));
    whole_ = ends.hi - ends.lo == 255;
  }
  static constexpr int offset = std::is_signed_v<Q> ? 128 : 0;

  [[nodiscard, gnu::always_inline]] batch<Isa, Q> operator()(int i) noexcept {
    if (untried_ > 0) [[unlikely]] {
      --untried_;
      return floats_.seldom(a_ + i, b_ + i);
    }
    bool near;
    const auto load = [](const Q* p) __attribute__((always_inline)) {
      return static_cast<__m512i>(part_dequantizer<Isa>::load(p));
    };
    bytes q(fixed_(load(a_ + i), load(b_ + i), near));
    if (near) [[unlikely]] {
      untried_ = since_ < 4 ? 30 : 0;
      since_ = 0;
      return floats_.seldom(a_ + i, b_ + i);
    }
    ++since_;
    if (!whole_) q = xsimd::min(xsimd::max(q, low_), high_);
    if (offset != 0) q = q ^ bytes(std::uint8_t{offset});
    return batch<Isa, Q>(static_cast<__m512i>(q));
  }

 private:
  using bytes = batch<Isa, std::uint8_t>;

  fixed_sum_lanes<Isa> fixed_;
  const float_sum<Isa>& floats_;
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
    if (!steps_fit(a_q.scale, to) || !steps_fit(b_q.scale, to)) {
      return add_far<Isa>(shape, a, a_q, b, b_q, to, out);
    }
    const float_sum<Isa> floats(a_q, b_q, to, std::type_identity<Q>{});
    const auto one_by_one = [&](int i) __attribute__((always_inline)) {
      out[i] = reference::quantize<Q>(reference::add(a[i], a_q, b[i], b_q), to);
    };
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
    if constexpr (isa::includes<Isa, isa::avx512>) {
      constexpr int offset = fixed_or_float_sum<Isa, Q>::offset;
      const fixed_sum fixed(a_q.scale, a_q.zero_point + offset, b_q.scale, b_q.zero_point + offset,
                            to, out_q.zero_point + offset);
      if (fixed.usable()) {
        fixed_or_float_sum<Isa, Q> sum(fixed, floats, to, a, b);
        return for_sums<Isa>(
            shape, a, b, out, [&](int i) __attribute__((always_inline)) { return sum(i); },
            one_by_one);
      }
    }
#endif
    for_sums<Isa>(
        shape, a, b,
        out, [&](int i) __attribute__((always_inline)) { return floats(a + i, b + i); },
        one_by_one);
  }
}

/// As reference::add on floats, bit for bit.
template <class Isa>
[[gnu::always_inline]] inline void add(elementwise_shape shape, const float* a, const float* b,
                                       float* out, bool relu) noexcept {
  if constexpr (!vectorized<Isa>) {
    reference::add(shape, a, b, out, relu);
  } else {
    using floats = batch<Isa, float>;
    for_blocks<float_lanes<Isa>>(
        shape.count,
        [&](int i) __attribute__((always_inline)) {
          const floats sum = floats::load_unaligned(a + i) + floats::load_unaligned(b + i);
          return relu ? simd::relu<Isa>(sum) : sum;
        },
        [&](int i, const floats& x) __attribute__((always_inline)) { x.store_unaligned(out + i); },
        [&](int i) __attribute__((always_inline)) {
          const float sum = a[i] + b[i];
          out[i] = relu ? reference::relu(sum) : sum;
        });
  }
}

}  // namespace ctq::kernels::simd
