// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <xsimd/xsimd.hpp>

#include "ctq/core/compiler_flags.hpp"
#include "ctq/core/isa.hpp"

// The only header that includes xsimd: maps instruction set tags to xsimd architectures and hides
// the differences between xsimd versions (tested: 8.1 to 14.3).

namespace ctq::kernels {

// Overloads, so that an instruction set without one has the registers of the one it extends. scalar
// has none. xsimd has VNNI only since version 12, and no dot product in any version, so the vectors
// of AVX2 and AVX-512 suffice.
xsimd::sse2 xsimd_arch_of(isa::sse2);
xsimd::sse4_1 xsimd_arch_of(isa::sse4);
xsimd::fma3<xsimd::avx2> xsimd_arch_of(isa::avx2);
xsimd::avx512bw xsimd_arch_of(isa::avx512);
xsimd::neon64 xsimd_arch_of(isa::neon);

template <class Isa>
using xsimd_arch = decltype(xsimd_arch_of(Isa{}));

/// Satisfied by instruction sets with SIMD registers.
template <class Isa>
concept vectorized = requires {
  typename xsimd_arch<Isa>;
};

/// A full register of T.
template <vectorized Isa, class T>
using batch = xsimd::batch<T, xsimd_arch<Isa>>;

}  // namespace ctq::kernels
