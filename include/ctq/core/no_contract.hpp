// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/compiler_flags.hpp"

// Prevents contraction of a product and a following add to an fma.
//
// g++ contracts a*b + c to one fma under -O2 with FMA, also through intrinsics; clang does so for
// scalar code. One rounding instead of two gives another result, so identical bytes everywhere
// require a barrier between the two. It costs no instruction.

namespace ctq {

/// Returns x, through a register that is opaque to the optimizer. T: float or a SIMD register type.
template <class T>
[[gnu::always_inline]] inline T no_contract(T x) noexcept {
#if defined(__x86_64__)
  __asm__("" : "+v"(x));
#elif defined(__aarch64__)
  __asm__("" : "+w"(x));
#else
  volatile T kept = x;
  x = kept;
#endif
  return x;
}

}  // namespace ctq
