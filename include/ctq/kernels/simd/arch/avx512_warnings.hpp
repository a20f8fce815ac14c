// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// g++ 12 warns about the undefined operands inside AVX-512 intrinsics, its own and those in xsimd
// (false positive, GCC bug 105593, fixed in 13). Code that uses them is between these macros.

#if defined(__GNUC__) && !defined(__clang__)
#define CTQ_BEGIN_AVX512                                                               \
  _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wuninitialized\"") \
      _Pragma("GCC diagnostic ignored \"-Wmaybe-uninitialized\"")
#define CTQ_END_AVX512 _Pragma("GCC diagnostic pop")
#else
#define CTQ_BEGIN_AVX512
#define CTQ_END_AVX512
#endif
