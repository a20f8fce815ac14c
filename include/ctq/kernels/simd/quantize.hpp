// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

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

/// As reference::quantize by channel, byte for byte. Channels are taken a block at a time, all rows
/// of it, so that scales are inverted once. Results that pass by once go around the caches, as
/// those of for_elements, if each register of them starts on its alignment.
template <class Isa, quantized Q>
[[gnu::always_inline]] inline void quantize(channels_shape shape, const float* in,
                                            const float* scale, const std::int32_t* zero_point,
                                            std::int32_t quant_min, std::int32_t quant_max,
                                            Q* out) noexcept {
  constexpr int block = [] {
    if constexpr (vectorized<Isa>) return 4 * float_lanes<Isa>;
    return 1;
  }();
  if (block == 1 || shape.channels < block) {
    return reference::quantize(shape, in, scale, zero_point, quant_min, quant_max, out);
  }
  if constexpr (vectorized<Isa>) {
    using convert = conversions<xsimd_arch<Isa>>;
    constexpr int n = float_lanes<Isa>;
    const std::int64_t count = std::int64_t{shape.rows} * shape.channels;
    const bool streams = count * std::int64_t{sizeof(float) + sizeof(Q)} >= beyond_caches &&
                         shape.channels % block == 0 &&
                         reinterpret_cast<std::uintptr_t>(out) % block == 0;
    for (int first = 0; first < shape.channels; first += block) {
      const int channel = std::min(first, shape.channels - block);  // the last one moves back
      const auto lanes = [&](int k) __attribute__((always_inline)) {
        return quantizer_lanes<Isa>(scale + channel + k * n, zero_point + channel + k * n,
                                    quant_min, quant_max);
      };
      const quantizer_lanes<Isa> steps[] = {lanes(0), lanes(1), lanes(2), lanes(3)};
      const auto all_rows = [&](auto around_caches) __attribute__((always_inline)) {
        for (int row = 0; row < shape.rows; ++row) {
          const std::ptrdiff_t at = std::ptrdiff_t{row} * shape.channels + channel;
          const batch<Isa, Q> q = narrow<Isa, Q>([&](int k) __attribute__((always_inline)) {
            return steps[k / n].or_zero(batch<Isa, float>::load_unaligned(in + at + k));
          });
          if constexpr (around_caches) {
            convert::stream(out + at, static_cast<typename batch<Isa, Q>::register_type>(q));
          } else {
            q.store_unaligned(out + at);
          }
        }
      };
      if (streams) {
        all_rows(std::true_type{});
      } else {
        all_rows(std::false_type{});
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
