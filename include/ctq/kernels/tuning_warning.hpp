// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A note, once in a translation unit, that g++ 12 is tuning for a processor of Intel with AVX-512.
// It then copies 32 or 64 bytes at a time, and where a local copy of a constant is copied again,
// may write wrong bytes if the constant begins with equal words of 64 bits and ends with zeros: the
// words are repeated in place of the zeros (tests/integration/tuning_warning.py has such a
// program). The headers copy no such constants that we know of (see extents_of in
// simd/geometry.hpp), but programs may. -mtune=generic avoids it; kernels are as fast, since they
// choose their instructions themselves.
//
// Seen in g++ 12.2, -O2 and -O3, with -march=native, cascadelake or icelake-server. The macros are
// those of all processors for which g++ 12 copies so many bytes at a time.

#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ == 12
#if defined(__tune_skylake_avx512__) || defined(__tune_cannonlake__) ||     \
    defined(__tune_icelake_client__) || defined(__tune_icelake_server__) || \
    defined(__tune_rocketlake__) || defined(__tune_tigerlake__) ||          \
    defined(__tune_cascadelake__) || defined(__tune_cooperlake__) ||        \
    defined(__tune_sapphirerapids__)
#pragma message( \
    "ctq: g++ 12 copies some constants wrongly where it tunes for this processor. Add \
-mtune=generic, which costs no speed; docs/howto/install.md.")
#endif
#endif
