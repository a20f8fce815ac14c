// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Flags of the compiler with which ctq does not work; each line names the flag. Included first,
// since with an older standard there would be thousands of errors.
//
// ctq's results are those of IEEE 754 float32, operation by operation. Flags that allow other
// results are rejected as far as they can be detected. Flags that change nothing: -fno-math-errno,
// -fno-trapping-math, -frounding-math, -ffp-contract (see no_contract.hpp), -mrecip by itself.
// tests/integration/compiler_flags compares the bytes.

#if __cplusplus < 202002L
#error "ctq needs C++20: compile with -std=c++20"
#include <ctq needs C++20>  // no such file, so that the compiler stops
#endif

#if defined(__FAST_MATH__)
#error "ctq: -ffast-math (-Ofast, -ffp-model=fast) changes results; compile without it"
#elif defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
#error "ctq: -ffinite-math-only loses NaN and infinity; compile without it"
#elif defined(__ASSOCIATIVE_MATH__)
#error "ctq: -fassociative-math (-funsafe-math-optimizations) changes results; compile without it"
#elif defined(__RECIPROCAL_MATH__)
#error "ctq: -freciprocal-math changes results; compile without it"
#elif defined(__NO_SIGNED_ZEROS__)
#error "ctq: -fno-signed-zeros changes results; compile without it"
#elif defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0
#error "ctq: float32 must be computed in float32: compile without -mfpmath=387, -ffp-eval-method"
#endif

namespace ctq::compiler_flags {

static_assert(0.1 != static_cast<double>(0.1F),
              "ctq: -fsingle-precision-constant changes results; compile without it");

#if defined(__clang__)
// clang defines no macro for parts of -ffast-math.

/// "illegal when precise is disabled": compile without -fassociative-math, -freciprocal-math,
/// -fno-signed-zeros, -fapprox-func and -funsafe-math-optimizations, which implies all of them.
inline void results_must_be_precise() {
#pragma STDC FENV_ACCESS ON
}

// "use of NaN (of infinity) is undefined behavior": compile without -fno-honor-nans,
// -fno-honor-infinities. The line marker makes the compiler attribute this text to user code even
// if the header is found by -isystem, since warnings in system headers are suppressed.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wgnu-line-marker"
# 50 "ctq/core/compiler_flags.hpp"
#if __has_warning("-Wnan-infinity-disabled")
#pragma clang diagnostic error "-Wnan-infinity-disabled"
inline constexpr bool honors_nan = __builtin_isnan(__builtin_nanf(""));
inline constexpr bool honors_infinity = __builtin_isinf(__builtin_inff());
#endif
#pragma clang diagnostic pop
#endif

}  // namespace ctq::compiler_flags
