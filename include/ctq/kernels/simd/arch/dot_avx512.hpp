// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/isa.hpp"
#include "ctq/kernels/simd/arch/register512.hpp"
#include "ctq/kernels/simd/arch/register_dot.hpp"
#include "ctq/kernels/simd/dot.hpp"

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)

namespace ctq::kernels::simd {

template <>
struct int8_dot<isa::avx512> : int16_dot<isa::avx512, register512> {
  static constexpr int tile_rows = 12;
};

}  // namespace ctq::kernels::simd

#endif
