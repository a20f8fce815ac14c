// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "ctq/kernels/reference/quantize.hpp"
#include "ctq/kernels/simd/convert.hpp"
#include "ctq/kernels/simd/streaming.hpp"

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
    const quantizer_lanes<Isa> steps(to);
    const step_narrower<Isa> narrower({p.zero_point, p.quant_min, p.quant_max});
    for_elements<Isa>(
        shape.count, out,
        [&](int i) __attribute__((always_inline)) {
          return narrower.template bytes_in_order<Q>(
              [&](int k) __attribute__((always_inline)) {
                return floats::load_unaligned(in + i + k) * steps.inverse;
              },
              [&]() __attribute__((always_inline)) {
                return narrow<Isa, Q>([&](int k) __attribute__((always_inline)) {
                  return steps.or_zero(floats::load_unaligned(in + i + k));
                });
              });
        },
        [&](int i) __attribute__((always_inline)) { out[i] = reference::quantize<Q>(in[i], to); },
        in);
  }
}

/// Four registers of channels, each channel with a scale and zero point of its own.
template <vectorized Isa, quantized Q>
struct channels_quantizer {
  using floats = batch<Isa, float>;
  static constexpr int n = float_lanes<Isa>;
  static constexpr int width = 4 * n;

  quantizer_lanes<Isa> steps[4];
  step_narrower<Isa> narrower;  // if all have one zero point
  bool one_zero_point;

  [[gnu::always_inline]] channels_quantizer(const float* scale, const std::int32_t* zero_point,
                                            std::int32_t quant_min, std::int32_t quant_max) noexcept
      : steps{{scale, zero_point, quant_min, quant_max},
              {scale + n, zero_point + n, quant_min, quant_max},
              {scale + 2 * n, zero_point + 2 * n, quant_min, quant_max},
              {scale + 3 * n, zero_point + 3 * n, quant_min, quant_max}},
        narrower({*zero_point, quant_min, quant_max}),
        one_zero_point(std::equal(zero_point + 1, zero_point + width, zero_point)) {}

  /// A register of bytes.
  [[nodiscard, gnu::always_inline]] batch<Isa, Q> any(const float* in) const noexcept {
    return narrow<Isa, Q>([&](int k) __attribute__((always_inline)) {
      return steps[k / n].or_zero(floats::load_unaligned(in + k));
    });
  }
  [[nodiscard, gnu::always_inline]] batch<Isa, Q> of_one_zero_point(
      const float* in) const noexcept {
    return narrower.template bytes_in_order<Q>(
        [&](int k) __attribute__((always_inline)) {
          return floats::load_unaligned(in + k) * steps[k / n].inverse;
        },
        [&]() __attribute__((always_inline)) { return any(in); });
  }
};

/// As reference::quantize by channel, byte for byte. Channels are taken a block at a time, all rows
/// of it, so that scales are inverted once. Results that pass by once go around the caches, as
/// those of for_elements, if that fills one cache line after the other.
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
    const bool streams = whole_lines &&
                         count * std::int64_t{sizeof(float) + sizeof(Q)} >= beyond_caches &&
                         reinterpret_cast<std::uintptr_t>(out) % block::width == 0;
    for (int first = 0; first < shape.channels; first += block::width) {
      const int channel = std::min(first, shape.channels - block::width);  // the last moves back
      const block of(scale + channel, zero_point + channel, quant_min, quant_max);
      const auto all_rows = [&](const auto& bytes) __attribute__((always_inline)) {
        std::ptrdiff_t at = channel;
        if (streams) {
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
      if (of.one_zero_point) {
        all_rows([&](const float* from)
                     __attribute__((always_inline)) { return of.of_one_zero_point(from); });
      } else {
        all_rows([&](const float* from) __attribute__((always_inline)) { return of.any(from); });
      }
    }
    if (streams) convert::streamed();
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
