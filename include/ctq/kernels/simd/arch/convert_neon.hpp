// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#if defined(__aarch64__)

#include <arm_neon.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "ctq/kernels/integer_arithmetic.hpp"
#include "ctq/kernels/simd/arch/conversions.hpp"
#include "ctq/kernels/xsimd.hpp"

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

  [[gnu::always_inline]] static void stream(void* p, uint8x16_t x) {
    vst1q_u8(static_cast<std::uint8_t*>(p), x);
  }
  [[gnu::always_inline]] static void stream(void* p, int8x16_t x) {
    vst1q_s8(static_cast<std::int8_t*>(p), x);
  }
  [[gnu::always_inline]] static void stream(void* p, float32x4_t x) {
    vst1q_f32(static_cast<float*>(p), x);
  }
  static void stream_fence() {}

  struct range {
    int16x8_t zero_point;
    int8x16_t lo8, hi8;

    explicit range(const output_range& to)
        : zero_point(vdupq_n_s16(static_cast<std::int16_t>(to.zero_point))),
          lo8(vdupq_n_s8(static_cast<std::int8_t>(to.lo))),
          hi8(vdupq_n_s8(static_cast<std::int8_t>(to.hi))) {}
  };
  [[gnu::always_inline]] static int16x8_t narrow16(int32x4_t a, int32x4_t b) {
    return vcombine_s16(vqmovn_s32(a), vqmovn_s32(b));
  }
  template <class Q>
  [[gnu::always_inline]] static auto bytes(int16x8_t v, int16x8_t w, const range& to) {
    v = vqaddq_s16(v, to.zero_point);
    w = vqaddq_s16(w, to.zero_point);
    if constexpr (std::is_signed_v<Q>) {
      const int8x16_t q = vcombine_s8(vqmovn_s16(v), vqmovn_s16(w));
      return vminq_s8(vmaxq_s8(q, to.lo8), to.hi8);
    } else {
      const uint8x16_t q = vcombine_u8(vqmovun_s16(v), vqmovun_s16(w));
      return vminq_u8(vmaxq_u8(q, vreinterpretq_u8_s8(to.lo8)), vreinterpretq_u8_s8(to.hi8));
    }
  }
  template <class Bytes>
  [[gnu::always_inline]] static Bytes ordered(Bytes x) {
    return x;
  }
  /// On NEON NaN becomes 0, and values beyond int32 saturate.
  [[gnu::always_inline]] static bool may_overflow(int16x8_t, int16x8_t) { return false; }
  template <int Part>
  [[gnu::always_inline]] static float32x4_t biased(uint8x16_t x) {
    const uint16x8_t half = vmovl_u8(Part < 2 ? vget_low_u8(x) : vget_high_u8(x));
    const uint32x4_t part = vmovl_u16(Part % 2 == 0 ? vget_low_u16(half) : vget_high_u16(half));
    return vreinterpretq_f32_u32(vorrq_u32(part, vdupq_n_u32(0x4B000000)));
  }
  template <int Part>
  [[gnu::always_inline]] static int32x4_t quarter(uint16x8_t even, uint16x8_t odd,
                                                  uint16x8_t upper) {
    const uint16x8_t half = Part < 2 ? vzip1q_u16(even, odd) : vzip2q_u16(even, odd);
    return vreinterpretq_s32_u16(Part % 2 == 0 ? vzip1q_u16(half, upper) : vzip2q_u16(half, upper));
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
