// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "ctq/core/shapes/elementwise_shapes.hpp"
#include "ctq/kernels/reference/dequantize.hpp"
#include "ctq/kernels/simd/arch/avx512_warnings.hpp"
#include "ctq/kernels/simd/arch/rounding.hpp"
#include "ctq/kernels/simd/register_conversions.hpp"

CTQ_BEGIN_AVX512

namespace ctq::kernels::simd {

/// As reference::dequantize_dynamic, bit for bit but for the bits of NaN.
template <class Isa>
[[gnu::noinline]] void dequantize_dynamic(channels_shape s, const std::int32_t* accumulators,
                                          const reference::dynamic_scales& to,
                                          float* out) noexcept {
  if constexpr (!vectorized<Isa>) {
    reference::dequantize_dynamic(s, accumulators, to, out);
  } else {
    using floats = batch<Isa, float>;
    using integers = batch<Isa, std::int32_t>;
    constexpr int lanes = float_lanes<Isa>;
    // The lower bound of the outputs; without relu it changes nothing.
    const floats least(to.relu ? 0.0F : -std::numeric_limits<float>::infinity());
    for (int row = 0; row < s.rows; ++row) {
      int c = 0;
      for (; c + lanes <= s.channels; c += lanes) {
        const integers sums =
            integers::load_unaligned(accumulators + c) -
            integers(to.zero_point) * integers::load_unaligned(to.weight_sums + c);
        const floats scale = floats(to.scale) * floats::load_unaligned(to.weight_scale + c);
        const floats y = fma<Isa>(to_float<Isa>(sums), scale, floats::load_unaligned(to.bias + c));
        at_least<Isa>(y, least).store_unaligned(out + c);
      }
      const reference::dynamic_scales rest{to.scale,    to.zero_point,      to.weight_scale + c,
                                           to.bias + c, to.weight_sums + c, to.relu};
      reference::dequantize_dynamic({1, s.channels - c}, accumulators + c, rest, out + c);
      accumulators += s.channels;
      out += s.channels;
    }
  }
}

}  // namespace ctq::kernels::simd

CTQ_END_AVX512
