// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A warning, once in a translation unit, that kernels are compiled for the oldest machines of an
// architecture, as compilers do without an option that names newer ones. It has no other effect:
// never an error, whatever the warning flags, and it is given in system headers too, which
// installed packages are to CMake. On g++ a note, since its warnings in headers are errors with
// -Werror; on clang a warning, since its notes are silent in system headers.
//
// CTQ_BASELINE_IS_INTENDED   no warning: the machine has no more, or another translation unit has
//                            the code (ctq::dispatch)
// CTQ_ISA_SCALAR             portable code: no warning either

#if defined(CTQ_BASELINE_IS_INTENDED) || defined(CTQ_ISA_SCALAR)
#elif defined(__x86_64__) && !(defined(__AVX2__) && defined(__FMA__))
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpedantic"
#pragma clang diagnostic warning "-W#warnings"
#warning \
    "ctq: without AVX2 int8 code is several times slower. Compile with -march=native \
or, for machines since 2015, -march=x86-64-v3. One program for all machines: \
ctq::dispatch, docs/howto/dispatch.md. Else define CTQ_BASELINE_IS_INTENDED."
#pragma clang diagnostic pop
#else
#pragma message( \
    "ctq: without AVX2 int8 code is several times slower. Compile with -march=native \
or, for machines since 2015, -march=x86-64-v3. One program for all machines: \
ctq::dispatch, docs/howto/dispatch.md. Else define CTQ_BASELINE_IS_INTENDED.")
#endif
#elif defined(__aarch64__) && !defined(__ARM_FEATURE_DOTPROD)
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpedantic"
#pragma clang diagnostic warning "-W#warnings"
#warning \
    "ctq: without dot products int8 code is several times slower. Compile with -mcpu=native \
or, for machines since 2018, -march=armv8.2-a+dotprod. One program for all machines: \
ctq::dispatch, docs/howto/dispatch.md. Else define CTQ_BASELINE_IS_INTENDED."
#pragma clang diagnostic pop
#else
#pragma message( \
    "ctq: without dot products int8 code is several times slower. Compile with -mcpu=native \
or, for machines since 2018, -march=armv8.2-a+dotprod. One program for all machines: \
ctq::dispatch, docs/howto/dispatch.md. Else define CTQ_BASELINE_IS_INTENDED.")
#endif
#endif
