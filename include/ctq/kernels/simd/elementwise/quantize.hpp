// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "ctq/core/shapes/elementwise_shapes.hpp"
#include "ctq/kernels/reference/quantize.hpp"
#include "ctq/kernels/simd/elementwise_loop.hpp"
#include "ctq/kernels/simd/register_conversions.hpp"

namespace ctq::kernels::simd {

/// As reference::quantize, byte for byte.
template <class Isa, quantized Q>
[[gnu::always_inline]] inline void quantize(elementwise_shape shape, const float* in,
                                            const qparams& p, Q* out) noexcept {
  if constexpr (!vectorized<Isa>) {
    reference::quantize(shape, in, p, out);
  } else {
    using floats = batch<Isa, float>;
    const quantizer to = quantizer_of(p);
    const quantizer_lanes<Isa> lanes(to);
    const float_narrower<Isa> narrower({p.zero_point, p.quant_min, p.quant_max});
    for_elements<Isa>(
        shape.count, out,
        [&](int i) __attribute__((always_inline)) {
          return narrower.template bytes_in_order<Q>(
              [&](int k) __attribute__((always_inline)) {
                return floats::load_unaligned(in + i + k) * lanes.inverse;
              },
              [&]() __attribute__((always_inline)) {
                return narrow<Isa, Q>([&](int k) __attribute__((always_inline)) {
                  return lanes.nan_safe(floats::load_unaligned(in + i + k));
                });
              });
        },
        [&](int i) __attribute__((always_inline)) { out[i] = reference::quantize<Q>(in[i], to); },
        in);
  }
}

/// Quantizes four registers of channels with a scale and zero point per channel.
template <vectorized Isa, quantized Q>
struct channels_quantizer {
  using floats = batch<Isa, float>;
  static constexpr int n = float_lanes<Isa>;
  static constexpr int width = 4 * n;

  quantizer_lanes<Isa> lanes[4];
  float_narrower<Isa> narrower;  // used if all channels have the same zero point
  bool shared_zero_point;

  [[gnu::always_inline]] channels_quantizer(const float* scale, const std::int32_t* zero_point,
                                            std::int32_t quant_min, std::int32_t quant_max) noexcept
      : lanes{{scale, zero_point, quant_min, quant_max},
              {scale + n, zero_point + n, quant_min, quant_max},
              {scale + 2 * n, zero_point + 2 * n, quant_min, quant_max},
              {scale + 3 * n, zero_point + 3 * n, quant_min, quant_max}},
        narrower({*zero_point, quant_min, quant_max}),
        shared_zero_point(std::equal(zero_point + 1, zero_point + width, zero_point)) {}

  /// Any zero points. Returns a register of bytes.
  [[nodiscard, gnu::always_inline]] batch<Isa, Q> with_zero_points(const float* in) const noexcept {
    return narrow<Isa, Q>([&](int k) __attribute__((always_inline)) {
      return lanes[k / n].nan_safe(floats::load_unaligned(in + k));
    });
  }
  [[nodiscard, gnu::always_inline]] batch<Isa, Q> with_shared_zero_point(
      const float* in) const noexcept {
    return narrower.template bytes_in_order<Q>(
        [&](int k) __attribute__((always_inline)) {
          return floats::load_unaligned(in + k) * lanes[k / n].inverse;
        },
        [&]() __attribute__((always_inline)) { return with_zero_points(in); });
  }
};

/// As reference::quantize with a scale per channel, byte for byte. Loops over blocks of channels
/// and, for each, over all rows, so that scales are inverted once. Large results are written by
/// non-temporal stores, as in for_elements, if adjacent stores fill whole cache lines.
/// Requires  quant_min <= zero_point <= quant_max, in the range of Q · out overlaps no operand
template <class Isa, quantized Q>
[[gnu::always_inline]] inline void quantize(channels_shape shape, const float* in,
                                            const float* scale, const std::int32_t* zero_point,
                                            std::int32_t quant_min, std::int32_t quant_max,
                                            Q* out) noexcept {
  if constexpr (!vectorized<Isa>) {
    reference::quantize(shape, in, scale, zero_point, quant_min, quant_max, out);
  } else {
    using convert = conversions<xsimd_arch<Isa>>;
    using block = channels_quantizer<Isa, Q>;
    if (shape.channels < block::width) {
      return reference::quantize(shape, in, scale, zero_point, quant_min, quant_max, out);
    }
    const std::int64_t count = std::int64_t{shape.rows} * shape.channels;
    const bool whole_lines =
        shape.channels == block::width || (block::width == 64 && shape.channels % 64 == 0);
    const bool nontemporal =
        whole_lines &&
        count * std::int64_t{sizeof(float) + sizeof(Q)} >= tuning::nontemporal_min_bytes &&
        reinterpret_cast<std::uintptr_t>(out) % block::width == 0;
    for (int first = 0; first < shape.channels; first += block::width) {
      const int channel =
          std::min(first, shape.channels - block::width);  // the last block may overlap
      const block of(scale + channel, zero_point + channel, quant_min, quant_max);
      const auto all_rows = [&](const auto& bytes) __attribute__((always_inline)) {
        std::ptrdiff_t at = channel;
        if (nontemporal) {
          for (int row = 0; row < shape.rows; ++row, at += shape.channels) {
            const batch<Isa, Q> q = bytes(in + at);
            convert::stream(out + at, static_cast<typename batch<Isa, Q>::register_type>(q));
          }
        } else {
          for (int row = 0; row < shape.rows; ++row, at += shape.channels) {
            bytes(in + at).store_unaligned(out + at);
          }
        }
      };
      if (of.shared_zero_point) {
        all_rows([&](const float* from)
                     __attribute__((always_inline)) { return of.with_shared_zero_point(from); });
      } else {
        all_rows([&](const float* from)
                     __attribute__((always_inline)) { return of.with_zero_points(from); });
      }
    }
    if (nontemporal) convert::stream_fence();
  }
}

/// As reference::quantize_per_channel, byte for byte.
template <class Isa, quantized Q>
[[gnu::always_inline]] inline void quantize_per_channel(const reference::axis_shape& shape,
                                                        const float* in, const float* scale,
                                                        const std::int32_t* zero_point,
                                                        std::int32_t quant_min,
                                                        std::int32_t quant_max, Q* out) noexcept {
  if (shape.inner == 1) {
    return quantize<Isa>(channels_shape{shape.outer, shape.channels}, in, scale, zero_point,
                         quant_min, quant_max, out);
  }
  for (int outer = 0; outer < shape.outer; ++outer) {
    for (int c = 0; c < shape.channels; ++c, in += shape.inner, out += shape.inner) {
      quantize<Isa>(elementwise_shape{shape.inner}, in,
                    {scale[c], zero_point[c], quant_min, quant_max}, out);
    }
  }
}

}  // namespace ctq::kernels::simd
