// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <string_view>

// Instruction sets as tags. Every function whose machine code depends on one has the tag as a
// template parameter, so that two translation units with different flags never share a body.
// A tag extends the one it derives from; test for an instruction set with includes<Isa, isa::avx2>.

namespace ctq::isa {

struct scalar {
  static constexpr std::string_view name = "scalar";
};

/// What every x86-64 has.
struct sse2 : scalar {
  static constexpr std::string_view name = "sse2";
};
/// SSE4.1.
struct sse4 : sse2 {
  static constexpr std::string_view name = "sse4";
};
/// AVX2 with FMA.
struct avx2 : sse4 {
  static constexpr std::string_view name = "avx2";
};
struct avxvnni : avx2 {
  static constexpr std::string_view name = "avxvnni";
};
/// AVX-512 F, BW, DQ, VL.
struct avx512 : avx2 {
  static constexpr std::string_view name = "avx512";
};
struct avx512vnni : avx512 {
  static constexpr std::string_view name = "avx512vnni";
};
/// With AMX tile registers and AMX-INT8 dot products.
struct amx : avx512vnni {
  static constexpr std::string_view name = "amx";
};

struct neon : scalar {
  static constexpr std::string_view name = "neon";
};
/// With 4-way dot products of signed or of unsigned bytes, optional since ARMv8.2.
struct dotprod : neon {
  static constexpr std::string_view name = "dotprod";
};
/// With dot products of unsigned by signed bytes, and byte matrix products.
struct i8mm : dotprod {
  static constexpr std::string_view name = "i8mm";
};

/// Satisfied if Isa has all instructions of Needed.
template <class Isa, class Needed>
concept includes = std::derived_from<Isa, Needed>;

/// The kernels of the library ctq-kernels: when the program runs, it chooses the fastest
/// instruction set that the library has code for and the machine supports. The headers have no code
/// for this tag.
struct compiled {
  static constexpr std::string_view name = "compiled";
};

// The native ISA: that of the compiler's target, or portable code if CTQ_ISA_SCALAR is defined.
#if defined(CTQ_ISA_SCALAR)
using native = scalar;
#elif defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) &&  \
    defined(__AVX512VL__) && defined(__AVX512VNNI__) && defined(__AMX_TILE__) && \
    defined(__AMX_INT8__)
using native = amx;
#elif defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && \
    defined(__AVX512VL__) && defined(__AVX512VNNI__)
using native = avx512vnni;
#elif defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && \
    defined(__AVX512VL__)
using native = avx512;
#elif defined(__AVXVNNI__) && defined(__AVX2__) && defined(__FMA__)
using native = avxvnni;
#elif defined(__AVX2__) && defined(__FMA__)
using native = avx2;
#elif defined(__SSE4_1__)
using native = sse4;
#elif defined(__x86_64__) && defined(__SSE2__)
using native = sse2;
#elif defined(__ARM_FEATURE_MATMUL_INT8) && defined(__ARM_FEATURE_DOTPROD) && defined(__aarch64__)
using native = i8mm;
#elif defined(__ARM_FEATURE_DOTPROD) && defined(__aarch64__)
using native = dotprod;
#elif defined(__aarch64__)
using native = neon;
#else
using native = scalar;
#endif

/// The instruction set of models, unless another is named. The dependency ctq-kernels defines
/// CTQ_COMPILED_KERNELS.
#if defined(CTQ_COMPILED_KERNELS)
using of_models = compiled;
#else
using of_models = native;
#endif

}  // namespace ctq::isa
