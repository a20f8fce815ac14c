// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace ctq::kernels::simd {

/// What xsimd lacks between registers of 8-bit integers, 32-bit integers and floats, in intrinsics;
/// one specialization for each register width.
///
///   widen(p)             the next bytes as 32-bit integers
///   round(x)             floats to integers, ties to even
///   narrow_store(x, p)   integers that fit in a byte, written as bytes
///   narrow<Q>(a,b,c,d)   four registers of such integers in one of bytes
///   stream(p, x)         writes a register to where it is aligned, around the caches if the
///   machine
///                        can; stream_fence() before anybody else reads
///
/// and, for kernels that work on four registers of 32 bits at once,
///
///   range                output_range in registers
///   words(a, b)          two registers of integers as one of 16 bits, saturated
///   bytes<Q>(v, w, r)    two registers of those as bytes: plus the zero point, clamped
///   ordered(x)           bytes(words(a, b), words(c, d), r) in the order a b c d
///   lowest(v, w)         whether one of them may come from what round() could not represent: NaN,
///                        and what exceeds an int32, become the lowest integer on x86
///   biased<N>(x)         2^23 + b as floats, for a quarter of the uint8 of a register: those that
///                        bytes(words(part 0, part 1), words(part 2, part 3), r) puts back
///
template <class XsimdArch>
struct conversions;

}  // namespace ctq::kernels::simd
