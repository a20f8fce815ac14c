// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/isa.hpp"
#include "ctq/kernels/simd/arch/dot_sse2.hpp"
#include "ctq/kernels/simd/arch/register128.hpp"

#if defined(__SSE4_1__)

namespace ctq::kernels::simd {

template <>
struct int8_dot<isa::sse4> : xmm_dot<isa::sse4, register128> {};

template <>
struct depthwise_dot<isa::sse4> : int16_dot<isa::sse4, register128> {};

template <>
struct int4_dot<isa::sse4> : int4_words<register128> {};

}  // namespace ctq::kernels::simd

#endif
