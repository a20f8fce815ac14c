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
template <class XsimdArch>
struct conversions;

}  // namespace ctq::kernels::simd
