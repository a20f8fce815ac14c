// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/isa.hpp"
#include "ctq/kernels/simd/arch/dot_dotprod.hpp"
#include "ctq/kernels/simd/arch/register_dot.hpp"
#include "ctq/kernels/simd/arch/register_neon.hpp"
#include "ctq/kernels/simd/dot.hpp"
#include "ctq/kernels/simd/matrix/int4_dot.hpp"

#if defined(__ARM_FEATURE_MATMUL_INT8) && defined(__ARM_FEATURE_DOTPROD) && defined(__aarch64__)

namespace ctq::kernels::simd {

struct i8mm_instructions {
  /// usdot, which is vpdpbusd of 128 bits.
  [[gnu::always_inline]] static int32x4_t dpbusd(int32x4_t acc, int32x4_t a, int32x4_t b) {
    return vusdotq_s32(acc, vreinterpretq_u8_s32(a), vreinterpretq_s8_s32(b));
  }
};

template <>
struct depthwise_dot<isa::i8mm> : vnni_dot<isa::i8mm, register_neon, i8mm_instructions> {};

/// The activations of a pixel are in one lane, which sudot broadcasts (by-element form). usmmla has
/// twice the products per instruction, of 2x8 by 8x2 bytes, but its accumulators are of two pixels
/// by two channels, which dot_arch does not support.
template <>
struct int8_dot<isa::i8mm> : depthwise_dot<isa::i8mm> {
  static constexpr int tile_rows = 12;  // see int8_dot<isa::dotprod>

  [[gnu::always_inline]] static vec broadcast(const void* p) { return first_lane(p); }
  [[gnu::always_inline]] static vec dot(vec acc, vec a, vec b) {
    return vsudotq_laneq_s32(acc, vreinterpretq_s8_s32(b), vreinterpretq_u8_s32(a), 0);
  }
};

template <>
struct int4_dot<isa::i8mm> : int4_dot<isa::dotprod> {};

}  // namespace ctq::kernels::simd

#endif
