// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace ctq::kernels::simd {

/// Conversions between registers of 8-bit integers, 32-bit integers and floats that xsimd lacks, in
/// intrinsics; one specialization per register width.
///
///   widen(p)             loads bytes and widens them to 32-bit integers
///   round(x)             floats to integers, ties to even
///   narrow_store(x, p)   stores integers that fit in a byte as bytes
///   narrow<Q>(a,b,c,d)   narrows four registers of such integers to one of bytes
///   stream(p, x)         non-temporal store to an aligned address, where supported
///   stream_fence()       makes such stores visible to other threads
///
/// and, for kernels that convert four registers of 32-bit integers at once,
///
///   range                output_range in registers
///   narrow16(a, b)       narrows two registers of integers to 16 bits, saturating
///   bytes<Q>(v, w, r)    narrows two of those to bytes: adds the zero point, clamps
///   ordered(x)           puts bytes(narrow16(a, b), narrow16(c, d), r) in the order a b c d
///   may_overflow(v, w)   whether an integer may come from a float that round() cannot represent:
///                        NaN and values beyond int32 become the lowest integer on x86
///   biased<N>(x)         2^23 + b as floats, for the bytes b of quarter N of a register of uint8.
///                        Quarters have the order that bytes(narrow16(quarter 0, quarter 1),
///                        narrow16(quarter 2, quarter 3), r) turns back into that of the register
///   quarter<N>(e, o, u)  integers of 32 bits in the same order: the lower 16 bits are those of e
///                        for even bytes and of o for odd ones, the upper 16 bits those of u
///
template <class XsimdArch>
struct conversions;

}  // namespace ctq::kernels::simd
