// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>

#include "ctq/core/shapes/elementwise_shapes.hpp"

namespace ctq::kernels::reference {

/// Indices as floats.
///
/// Rounding  to the nearest, ties to even, beyond 2^24
template <std::signed_integral Index>
inline void convert(elementwise_shape s, const Index* in, float* out) noexcept {
  for (int i = 0; i < s.count; ++i) out[i] = static_cast<float>(in[i]);
}

/// Floats as indices.
///
/// Rounding  towards zero
/// Special   NaN and what is outside the range of int64 give its least value, which is no index
inline void convert(elementwise_shape s, const float* in, std::int64_t* out) noexcept {
  constexpr float end = 0x1p63F;
  for (int i = 0; i < s.count; ++i)
    out[i] = in[i] >= -end && in[i] < end ? static_cast<std::int64_t>(in[i])
                                          : std::numeric_limits<std::int64_t>::min();
}

}  // namespace ctq::kernels::reference
