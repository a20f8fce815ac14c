// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <type_traits>

#include "ctq/core/shapes/elementwise_shapes.hpp"
#include "ctq/kernels/reference/binary_add_within_one_step.hpp"
#include "ctq/kernels/simd/elementwise/binary_add.hpp"
#include "ctq/kernels/simd/register_conversions.hpp"

namespace ctq::kernels::simd {

/// Satisfied by instruction sets of x86 with registers.
template <class Isa>
concept has_int16_sum = requires {
  typename conversions<xsimd_arch<Isa>>::registers;
};

/// int16_sum on registers of bytes.
template <has_int16_sum Isa, quantized Q>
class int16_sum_lanes {
 public:
  using registers = typename conversions<xsimd_arch<Isa>>::registers;
  using vec = typename registers::vec;
  using bytes = batch<Isa, Q>;

  [[gnu::always_inline]] int16_sum_lanes(const int16_sum& s, const output_range& range)
      : a_(registers::template each<std::int16_t>(s.multiplier_a)),
        b_(registers::template each<std::int16_t>(s.multiplier_b)),
        start_(registers::template each<std::int16_t>(s.start)),
        low_(static_cast<Q>(range.lo)),
        high_(static_cast<Q>(range.hi)),
        full_range_(range.hi - range.lo == 255),
        doublings_(8 - s.fraction) {}

  [[nodiscard, gnu::always_inline]] bytes operator()(const Q* a, const Q* b) const {
    const vec x = centered(registers::load(a));
    const vec y = centered(registers::load(b));
    const vec even = sum(registers::even(x), registers::even(y));
    const vec odd = sum(registers::odd(x), registers::odd(y));
    const bytes q(centered(registers::interleave_upper_bytes(even, odd)));
    return full_range_ ? q : xsimd::min(xsimd::max(q, low_), high_);
  }

 private:
  /// Converts between uint8 and int8 by an offset of 128; no-op for int8.
  [[gnu::always_inline]] static vec centered(vec x) {
    return std::is_signed_v<Q> ? x : registers::flip_signs(x);
  }
  [[gnu::always_inline]] vec sum(vec x, vec y) const {
    vec s = registers::add16(registers::add16(registers::multiply16(y, b_), start_),
                             registers::multiply16(x, a_));
    if (doublings_ > 0) [[unlikely]] {
      for (int i = 0; i < doublings_; ++i) s = registers::add16(s, s);
    }
    return s;
  }

  vec a_, b_, start_;
  bytes low_, high_;
  bool full_range_;  // the output range is that of a byte, to which q is saturated
  int doublings_;
};

/// As reference::binary_add_within_one_step, byte for byte.
template <class Isa, quantized Q>
[[gnu::always_inline]] inline void binary_add_within_one_step(elementwise_shape shape, const Q* a,
                                                              const qparams& a_q, const Q* b,
                                                              const qparams& b_q,
                                                              const qparams& out_q, Q* out,
                                                              bool relu) noexcept {
  if constexpr (!has_int16_sum<Isa>) {
    reference::binary_add_within_one_step(shape, a, a_q, b, b_q, out_q, out, relu);
  } else {
    const bool turned = a_q.scale < b_q.scale;
    const qparams& first = turned ? b_q : a_q;
    const qparams& second = turned ? a_q : b_q;
    const Q* const x = turned ? b : a;
    const Q* const y = turned ? a : b;
    const quantizer to = relu ? with_relu(quantizer_of(out_q)) : quantizer_of(out_q);
    constexpr int offset = std::is_signed_v<Q> ? 0 : 128;
    const int16_sum words(first.scale, first.zero_point - offset, second.scale,
                          second.zero_point - offset, to, out_q.zero_point - offset);
    if (!words.usable()) return binary_add<Isa>(shape, a, a_q, b, b_q, out_q, out, relu);
    const output_range range = output_range_of(to);
    const int16_sum_lanes<Isa, Q> sum(words, range);
    for_elements<Isa>(
        shape.count, out, [&](int i) __attribute__((always_inline)) { return sum(x + i, y + i); },
        [&](int i) __attribute__((always_inline)) {
          const int q = reference::add_int16(words, x[i] - offset, y[i] - offset) + offset;
          out[i] = static_cast<Q>(q < range.lo ? range.lo : q > range.hi ? range.hi : q);
        },
        x, y);
  }
}

}  // namespace ctq::kernels::simd
