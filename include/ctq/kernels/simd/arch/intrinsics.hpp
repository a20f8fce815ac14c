// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The intrinsics of the x86 instruction sets that are compiled for. immintrin.h has those of all,
// which takes g++ 12 40 MB more where there is no AVX.

#if defined(__AVX__)
#include <immintrin.h>
#elif defined(__SSE4_1__)
#include <smmintrin.h>
#elif defined(__SSSE3__)
#include <tmmintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif
