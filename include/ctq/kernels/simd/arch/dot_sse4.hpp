// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/isa.hpp"
#include "ctq/kernels/simd/arch/register128.hpp"
#include "ctq/kernels/simd/arch/register_dot.hpp"
#include "ctq/kernels/simd/dot.hpp"

#if defined(__SSE4_1__)

namespace ctq::kernels::simd {

template <>
struct int8_dot<isa::sse4> : int16_dot<isa::sse4, register128> {
  static constexpr int tile_rows = 4;  // 8 sums, 2 weights, 1 activation, 1 product of 16 registers
};

}  // namespace ctq::kernels::simd

#endif
