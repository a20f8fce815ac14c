// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The attribute of functions between the entry of a kernel, which is gnu::flatten, and what it
// computes in registers. g++ inlines them once, in the entry. If they were always_inline, g++ would
// optimize each of a dozen nested functions with all inner ones inlined into it, which is more than
// a third of the compile time of a network. The flatten of clang does not reach into nested calls,
// and its always_inline is cheap.
//
// A macro, since templates cannot choose attributes.

#if defined(__clang__)
#define CTQ_INLINE_BY_FLATTEN __attribute__((always_inline))
#else
#define CTQ_INLINE_BY_FLATTEN
#endif
