// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <cstdint>

#include "ctq/core/shapes/elementwise_shapes.hpp"
#include "ctq/kernels/reference/requantize.hpp"
#include "ctq/kernels/simd/arch/tables/table_lookup.hpp"
#include "ctq/kernels/simd/elementwise/dequantize_apply_quantize.hpp"
#include "ctq/kernels/simd/elementwise_loop.hpp"
#include "ctq/kernels/simd/register_conversions.hpp"

namespace ctq::kernels::simd {

/// As reference::requantize of accumulators, byte for byte.
/// Requires  |in[i] * multiplier| < 2^31 - 256, as reference::requantize
template <class Isa, quantized Q>
[[gnu::always_inline]] inline void requantize(elementwise_shape shape, const std::int32_t* in,
                                              float multiplier, const output_range& to,
                                              Q* out) noexcept {
  if constexpr (!vectorized<Isa>) {
    reference::requantize(shape, in, multiplier, to, out);
  } else {
    using sums = batch<Isa, std::int32_t>;
    const batch<Isa, float> scale(multiplier);
    const float_narrower<Isa> narrower(to);
    for_elements<Isa>(
        shape.count, out,
        [&](int i) __attribute__((always_inline)) {
          return narrower.template bytes_in_order<Q>([&](int k) __attribute__((always_inline)) {
            return to_float<Isa>(sums::load_unaligned(in + i + k)) * scale;
          });
        },
        [&](int i) __attribute__((always_inline)) {
          out[i] = static_cast<Q>(reference::requantize(in[i], multiplier, to));
        },
        in);
  }
}

/// out[i] = clamp(in[i], low, high) on integers.
template <vectorized Isa, quantized Q>
[[gnu::always_inline]] inline void clamp(elementwise_shape shape, const Q* in, Q low, Q high,
                                         Q* out) noexcept {
  using bytes = batch<Isa, Q>;
  const bytes lows(low), highs(high);
  for_elements<Isa>(
      shape.count, out,
      [&](int i) __attribute__((always_inline)) {
        return xsimd::min(xsimd::max(bytes::load_unaligned(in + i), lows), highs);
      },
      [&](int i) __attribute__((always_inline)) {
        const Q raised = in[i] < low ? low : in[i];
        out[i] = raised > high ? high : raised;
      },
      in);
}

/// out[i] = quantize(dequantize(in[i])) with given constants of quantize.
template <vectorized Isa, quantized Q, quantized R>
[[gnu::always_inline]] inline void requantize(elementwise_shape shape, const Q* in,
                                              const qparams& from, const quantizer& to,
                                              R* out) noexcept {
  dequantize_apply_quantize<Isa>(
      shape, scaled_fits_int32(from.scale, to), out, to,
      [](const auto& x) __attribute__((always_inline)) { return x; },
      quantized_operand<Q>{in, from});
}

/// The same by a table of all 256 results.
template <vectorized Isa, quantized Q, quantized R>
[[gnu::always_inline]] inline void requantize_by_table(elementwise_shape shape, const Q* in,
                                                       const qparams& from, const quantizer& to,
                                                       R* out) noexcept {
  using entries = batch<Isa, R>;
  alignas(64) Q all[256];
  alignas(64) R table[256];
  for (int i = 0; i < 256; ++i) all[i] = static_cast<Q>(i);
  requantize<Isa>(elementwise_shape{256}, all, from, to, table);
  const lookup_registers<Isa, R> results(table);
  for_elements<Isa>(
      shape.count, out,
      [&](int i) __attribute__((always_inline)) {
        return results[entries::load_unaligned(reinterpret_cast<const R*>(in + i))];
      },
      [&](int i)
          __attribute__((always_inline)) { out[i] = table[static_cast<std::uint8_t>(in[i])]; },
      in);
}

/// As reference::requantize, byte for byte. With equal qparams it only clamps.
template <class Isa, quantized Q, quantized R>
[[gnu::always_inline]] inline void requantize(elementwise_shape shape, const Q* in,
                                              const qparams& from, const qparams& to,
                                              R* out) noexcept {
  if constexpr (!vectorized<Isa>) {
    reference::requantize(shape, in, from, to, out);
  } else {
    if constexpr (std::same_as<Q, R>) {
      if (same_scale_and_zero_point(from, to)) {
        clamp<Isa>(shape, in, static_cast<Q>(to.quant_min), static_cast<Q>(to.quant_max), out);
        return;
      }
    }
    // A register that is looked up takes a quarter of the time of one that is computed.
    if constexpr (has_wide_lookup<Isa>) {
      constexpr int worthwhile = 1024;
      if (shape.count >= worthwhile)
        return requantize_by_table<Isa>(shape, in, from, quantizer_of(to), out);
    }
    requantize<Isa>(shape, in, from, quantizer_of(to), out);
  }
}

}  // namespace ctq::kernels::simd
