// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <type_traits>
#include <xsimd/xsimd.hpp>

#include "ctq/core/float_flags.hpp"
#include "ctq/core/isa.hpp"

// The only header that includes xsimd: maps instruction set tags to xsimd architectures and hides
// the differences between xsimd versions (tested: 8.1 to 14.3).

namespace ctq::kernels {

template <class Isa>
struct xsimd_arch_of {};  // scalar: no vectors

// xsimd has VNNI only since version 12, and no dot product in any version, so the vectors of AVX2
// and AVX-512 suffice.
template <isa::includes<isa::sse4> Isa>
struct xsimd_arch_of<Isa> {
  using avx2_or_sse4 =
      std::conditional_t<isa::includes<Isa, isa::avx2>, xsimd::fma3<xsimd::avx2>, xsimd::sse4_1>;
  using type = std::conditional_t<isa::includes<Isa, isa::avx512>, xsimd::avx512bw, avx2_or_sse4>;
};
template <isa::includes<isa::neon> Isa>
struct xsimd_arch_of<Isa> {
  using type = xsimd::neon64;
};

template <class Isa>
using xsimd_arch = typename xsimd_arch_of<Isa>::type;

/// Satisfied by instruction sets with SIMD registers.
template <class Isa>
concept vectorized = requires {
  typename xsimd_arch<Isa>;
};

/// A full register of T.
template <vectorized Isa, class T>
using batch = xsimd::batch<T, xsimd_arch<Isa>>;

}  // namespace ctq::kernels
