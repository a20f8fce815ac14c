// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/isa.hpp"
#include "ctq/kernels/simd/arch/register256.hpp"
#include "ctq/kernels/simd/arch/register_dot.hpp"
#include "ctq/kernels/simd/dot.hpp"
#include "ctq/kernels/simd/matrix/int4_dot.hpp"

#if defined(__AVX2__)

namespace ctq::kernels::simd {

template <>
struct int8_dot<isa::avx2> : int16_dot_of_bytes<isa::avx2, register256> {
  static constexpr int tile_rows = 5;  // 10 accumulators, 2 weights, 1 activation, 1 product
};

template <>
struct depthwise_dot<isa::avx2> : int16_dot<isa::avx2, register256> {};

template <>
struct int4_dot<isa::avx2> : int4_words<register256> {};

}  // namespace ctq::kernels::simd

#endif
