// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#if defined(__aarch64__)

#include <arm_neon.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "ctq/kernels/integer_arithmetic.hpp"
#include "ctq/kernels/simd/arch/convert_neon.hpp"
#include "ctq/kernels/simd/store_first.hpp"

// The operations of the int8 kernels on a NEON register, with the interface of register128.hpp.
// ARM's intrinsics have typed registers; kernels pass all of them as 32-bit integers.

namespace ctq::kernels::simd {

class register_neon {
  using convert = conversions<xsimd::neon64>;

 public:
  using vec = int32x4_t;
  static constexpr int lanes = 4;  // of 32 bits

  [[gnu::always_inline]] static vec load(const void* p) {
    return vreinterpretq_s32_u8(vld1q_u8(static_cast<const std::uint8_t*>(p)));
  }
  [[gnu::always_inline]] static void save(void* p, vec x) {
    vst1q_u8(static_cast<std::uint8_t*>(p), vreinterpretq_u8_s32(x));
  }
  /// x + 128 in each byte, which converts between int8 and uint8.
  [[gnu::always_inline]] static vec flip_signs(vec x) {
    return vreinterpretq_s32_u8(veorq_u8(vreinterpretq_u8_s32(x), vdupq_n_u8(128)));
  }
  /// Four bytes, broadcast to each lane.
  [[gnu::always_inline]] static vec broadcast(const void* p) {
    std::int32_t word;
    std::memcpy(&word, p, sizeof word);
    return vdupq_n_s32(word);
  }
  /// The same in the first lane only, for instructions with a by-element operand: saves the
  /// broadcast.
  [[gnu::always_inline]] static vec first_lane(const void* p) {
#if defined(__clang__)
    float word;
    std::memcpy(&word, p, sizeof word);
    return vreinterpretq_s32_f32(vsetq_lane_f32(word, vdupq_n_f32(0), 0));
#else
    // Inline assembly on g++ 12, which otherwise moves the value between registers (15 of 54
    // instructions of a loop that now has 35); newer versions are untested.
    using word [[gnu::may_alias, gnu::aligned(1)]] = std::int32_t;
    vec x;
    __asm__("ldr %s0, %1" : "=w"(x) : "m"(*static_cast<const word*>(p)));
    return x;
#endif
  }

  /// The lower, and the upper, halves of a and b interleaved.
  [[gnu::always_inline]] static vec zip_low8(vec a, vec b) {
    return vreinterpretq_s32_s8(vzip1q_s8(vreinterpretq_s8_s32(a), vreinterpretq_s8_s32(b)));
  }
  [[gnu::always_inline]] static vec zip_high8(vec a, vec b) {
    return vreinterpretq_s32_s8(vzip2q_s8(vreinterpretq_s8_s32(a), vreinterpretq_s8_s32(b)));
  }
  [[gnu::always_inline]] static vec zip_low16(vec a, vec b) {
    return vreinterpretq_s32_s16(vzip1q_s16(vreinterpretq_s16_s32(a), vreinterpretq_s16_s32(b)));
  }
  [[gnu::always_inline]] static vec zip_high16(vec a, vec b) {
    return vreinterpretq_s32_s16(vzip2q_s16(vreinterpretq_s16_s32(a), vreinterpretq_s16_s32(b)));
  }
  /// The lower and the upper half of x, interleaved by 16-bit lanes.
  [[gnu::always_inline]] static vec zip_halves16(vec x) {
    const uint8x16_t order = {0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15};
    return vreinterpretq_s32_u8(vqtbl1q_u8(vreinterpretq_u8_s32(x), order));
  }

  /// rne(float(acc) * multiplier), one multiplier for each lane.
  [[gnu::always_inline]] static vec scale(vec acc, const float* multiplier) {
    return vcvtnq_s32_f32(vmulq_f32(vcvtq_f32_s32(acc), vld1q_f32(multiplier)));
  }

  /// Saturated to 16 bits.
  [[gnu::always_inline]] static vec narrow(vec a) { return narrow(a, a); }
  [[gnu::always_inline]] static vec narrow(vec a, vec b) {
    return vreinterpretq_s32_s16(convert::narrow16(a, b));
  }

  /// output_range in registers: as 16-bit integers and, for clamping, as bytes too.
  struct bounds : convert::range {
    int16x8_t lo, hi;

    [[gnu::always_inline]] explicit bounds(const output_range& to)
        : range(to),
          lo(vdupq_n_s16(static_cast<std::int16_t>(to.lo))),
          hi(vdupq_n_s16(static_cast<std::int16_t>(to.hi))) {}
  };
  /// clamp(q + zero_point, lo, hi) of 16-bit integers. The saturation of the sum is covered by the
  /// clamp.
  [[gnu::always_inline]] static vec finish(vec q, const bounds& to) {
    const int16x8_t stepped = vqaddq_s16(vreinterpretq_s16_s32(q), to.zero_point);
    return vreinterpretq_s32_s16(vminq_s16(vmaxq_s16(stepped, to.lo), to.hi));
  }
  /// The same for two registers, narrowed to bytes.
  template <class Out>
  [[gnu::always_inline]] static vec finish(vec q0, vec q1, const bounds& to) {
    const auto bytes =
        convert::bytes<Out>(vreinterpretq_s16_s32(q0), vreinterpretq_s16_s32(q1), to);
    if constexpr (std::is_signed_v<Out>) {
      return vreinterpretq_s32_s8(bytes);
    } else {
      return vreinterpretq_s32_u8(bytes);
    }
  }
  template <class Out>
  [[gnu::always_inline]] static vec finish_or_saturate(vec q0, vec q1, const bounds& to) {
    return finish<Out>(q0, q1, to);
  }

  /// Stores the first `count` of eight bytes, from 16-bit integers in the range of Out.
  template <class Out>
  [[gnu::always_inline]] static void store(vec q, Out* out, int count) {
    write_first<8>(vreinterpret_u8_s8(vmovn_s16(vreinterpretq_s16_s32(q))), out, count);
  }
  /// Stores the first `count` of sixteen bytes.
  template <class Out>
  [[gnu::always_inline]] static void write(vec bytes, Out* out, int count) {
    write_first<16>(bytes, out, count);
  }

 private:
  template <int All, class Bytes>
  [[gnu::always_inline]] static void write_first(Bytes bytes, void* out, int count) {
    static_assert(sizeof bytes == All);
    if (count == All) {
      std::memcpy(out, &bytes, All);
    } else {
      store_first<All>(out, &bytes, count);
    }
  }
};

}  // namespace ctq::kernels::simd

#endif
