// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <xsimd/xsimd.hpp>

#include "ctq/core/float_flags.hpp"
#include "ctq/core/isa.hpp"

// The only header that includes xsimd: maps instruction set tags to xsimd architectures and hides
// the differences between xsimd versions (tested: 8.1 to 14.3).

namespace ctq::kernels {

template <class Isa>
struct xsimd_arch_of {};  // scalar: no vectors

template <>
struct xsimd_arch_of<isa::sse4> {
  using type = xsimd::sse4_1;
};
template <>
struct xsimd_arch_of<isa::avx2> {
  using type = xsimd::fma3<xsimd::avx2>;
};
// xsimd has VNNI only since version 12, and no dot product in any version, so AVX2 vectors suffice.
template <>
struct xsimd_arch_of<isa::avxvnni> : xsimd_arch_of<isa::avx2> {};
template <>
struct xsimd_arch_of<isa::avx512> {
  using type = xsimd::avx512bw;
};
template <>
struct xsimd_arch_of<isa::avx512vnni> : xsimd_arch_of<isa::avx512> {};
template <>
struct xsimd_arch_of<isa::amx> : xsimd_arch_of<isa::avx512> {};
template <>
struct xsimd_arch_of<isa::neon> {
  using type = xsimd::neon64;
};
template <>
struct xsimd_arch_of<isa::dotprod> : xsimd_arch_of<isa::neon> {};
template <>
struct xsimd_arch_of<isa::i8mm> : xsimd_arch_of<isa::neon> {};

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
