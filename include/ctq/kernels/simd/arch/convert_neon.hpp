// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#if defined(__aarch64__)

#include <arm_neon.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "ctq/kernels/compat.hpp"
#include "ctq/kernels/simd/arch/conversions.hpp"

namespace ctq::kernels::simd {

template <>
struct conversions<xsimd::neon64> {
  [[gnu::always_inline]] static int32x4_t widen(const std::uint8_t* p) {
    const uint8x8_t bytes = vcreate_u8(load4(p));
    return vreinterpretq_s32_u32(vmovl_u16(vget_low_u16(vmovl_u8(bytes))));
  }
  [[gnu::always_inline]] static int32x4_t widen(const std::int8_t* p) {
    return vmovl_s16(vget_low_s16(vmovl_s8(vcreate_s8(load4(p)))));
  }
  [[gnu::always_inline]] static int32x4_t round(float32x4_t x) { return vcvtnq_s32_f32(x); }

  [[gnu::always_inline]] static void narrow_store(int32x4_t x, void* out) {
    const int16x4_t words = vmovn_s32(x);
    const int8x8_t bytes = vmovn_s16(vcombine_s16(words, words));
    const std::uint32_t four = vget_lane_u32(vreinterpret_u32_s8(bytes), 0);
    std::memcpy(out, &four, sizeof four);
  }
  template <class Q>
  [[gnu::always_inline]] static auto narrow(int32x4_t a, int32x4_t b, int32x4_t c, int32x4_t d) {
    const int8x8_t ab = vmovn_s16(vcombine_s16(vmovn_s32(a), vmovn_s32(b)));
    const int8x8_t cd = vmovn_s16(vcombine_s16(vmovn_s32(c), vmovn_s32(d)));
    const int8x16_t bytes = vcombine_s8(ab, cd);
    if constexpr (std::is_signed_v<Q>) {
      return bytes;
    } else {
      return vreinterpretq_u8_s8(bytes);
    }
  }

 private:
  [[gnu::always_inline]] static std::uint64_t load4(const void* p) {
    std::uint32_t bytes;
    std::memcpy(&bytes, p, sizeof bytes);
    return bytes;
  }
};

}  // namespace ctq::kernels::simd

#endif
