// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

#include "ctq/core/shapes/elementwise_shapes.hpp"
#include "ctq/kernels/reference/dequantize.hpp"
#include "ctq/kernels/simd/register_conversions.hpp"

namespace ctq::kernels::simd {

/// As reference::dequantize_accumulators, bit for bit.
template <class Isa>
[[gnu::noinline]] void dequantize_accumulators(channels_shape s, const std::int32_t* accumulators,
                                               const float* multiplier, float* out) noexcept {
  if constexpr (!vectorized<Isa>) {
    reference::dequantize_accumulators(s, accumulators, multiplier, out);
  } else {
    using floats = batch<Isa, float>;
    constexpr int lanes = float_lanes<Isa>;
    for (int row = 0; row < s.rows; ++row) {
      int c = 0;
      for (; c + lanes <= s.channels; c += lanes) {
        const auto sums = batch<Isa, std::int32_t>::load_unaligned(accumulators + c);
        (to_float<Isa>(sums) * floats::load_unaligned(multiplier + c)).store_unaligned(out + c);
      }
      reference::dequantize_accumulators({1, s.channels - c}, accumulators + c, multiplier + c,
                                         out + c);
      accumulators += s.channels;
      out += s.channels;
    }
  }
}

}  // namespace ctq::kernels::simd
