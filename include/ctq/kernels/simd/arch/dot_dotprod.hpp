// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <climits>
#include <cstdint>
#include <type_traits>

#include "ctq/core/isa.hpp"
#include "ctq/kernels/simd/arch/register_dot.hpp"
#include "ctq/kernels/simd/arch/register_neon.hpp"
#include "ctq/kernels/simd/dot.hpp"
#include "ctq/kernels/simd/matrix/int4_dot.hpp"

#if defined(__ARM_FEATURE_DOTPROD) && defined(__aarch64__)

namespace ctq::kernels::simd {

/// int8 activations times int8 weights by sdot, since without i8mm no instruction multiplies
/// unsigned by signed bytes. uint8 activations are offset by -128 when copied to the workspace,
/// which the bias compensates.
template <>
struct depthwise_dot<isa::dotprod> : byte_dot<isa::dotprod, register_neon> {
  using element = std::int8_t;

  /// Added to an activation of type In to make it an element.
  template <class In>
  static constexpr int offset = std::is_signed_v<In> ? 0 : -128;

  [[gnu::always_inline]] static vec elements(const std::uint8_t* in) {
    return flip_signs(load(in));
  }
  [[gnu::always_inline]] static vec dot(vec acc, vec a, vec b) {
    return vdotq_s32(acc, vreinterpretq_s8_s32(a), vreinterpretq_s8_s32(b));
  }
};

/// The activations of a pixel are in one lane, which sdot broadcasts (by-element form).
template <>
struct int8_dot<isa::dotprod> : depthwise_dot<isa::dotprod> {
  // 24 accumulators, 2 weights, 2 or more activations of 32 registers; with 14, sums are spilled.
  static constexpr int tile_rows = 12;

  [[gnu::always_inline]] static vec broadcast(const void* p) { return first_lane(p); }
  [[gnu::always_inline]] static vec dot(vec acc, vec a, vec b) {
    return vdotq_laneq_s32(acc, vreinterpretq_s8_s32(b), vreinterpretq_s8_s32(a), 0);
  }
};

template <>
struct int4_dot<isa::dotprod> : register_neon {
  static constexpr int pairs = 2;
  static constexpr int rows = 2;
  using pair = int4_pair<register_neon>;
  static constexpr int lines = INT_MAX;
  using sums = pair;

  [[gnu::always_inline]] static sums begin(const pair& x) { return x; }
  [[gnu::always_inline]] static pair split(vec x) {
    return {vandq_s32(x, vdupq_n_s32(0x0F0F0F0F)),
            vreinterpretq_s32_u8(vshrq_n_u8(vreinterpretq_u8_s32(x), 4))};
  }
  [[gnu::always_inline]] static pair unpack(vec x) { return split(x); }
  [[gnu::always_inline]] static void add(sums& s, const pair& values, vec a) {
    s.low = vdotq_s32(s.low, vreinterpretq_s8_s32(values.low), vreinterpretq_s8_s32(a));
    s.high = vdotq_s32(s.high, vreinterpretq_s8_s32(values.high), vreinterpretq_s8_s32(a));
  }
  static void carry(sums&) {}
  [[gnu::always_inline]] static pair total(const sums& s) { return s; }
};

}  // namespace ctq::kernels::simd

#endif
