// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#if defined(__aarch64__)

#include <arm_neon.h>

#include <cstdint>

// Tables of 256 entries on NEON.

namespace ctq::kernels::simd {

/// table[x] for each byte of x, 64 entries at a time: lanes outside the current quarter of the
/// table are unchanged.
[[gnu::always_inline]] inline uint8x16_t look_up_neon(const void* table, uint8x16_t x) {
  const auto* const at = static_cast<const std::uint8_t*>(table);
  const uint8x16_t quarter = vdupq_n_u8(64);
  uint8x16_t y = vqtbl4q_u8(vld1q_u8_x4(at), x);
  x = vsubq_u8(x, quarter);
  y = vqtbx4q_u8(y, vld1q_u8_x4(at + 64), x);
  x = vsubq_u8(x, quarter);
  y = vqtbx4q_u8(y, vld1q_u8_x4(at + 128), x);
  x = vsubq_u8(x, quarter);
  return vqtbx4q_u8(y, vld1q_u8_x4(at + 192), x);
}

}  // namespace ctq::kernels::simd

#endif
