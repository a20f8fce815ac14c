// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/shapes/window_shapes.hpp"
#include "ctq/kernels/pool_window.hpp"
#include "ctq/kernels/reference/quantize.hpp"

namespace ctq::kernels::reference {

/// The divisor of a window's sum. A window without input has the sum 0, whatever the divisor.
[[nodiscard, gnu::always_inline]] inline int divisor_of(const pool_shape& shape,
                                                        const pool_window& w) noexcept {
  const int n = shape.divisor == pool_shape::padded_pixels  ? w.padded
                : shape.divisor == pool_shape::input_pixels ? w.taps()
                                                            : shape.divisor;
  return n > 0 ? n : 1;
}

/// Quantizes the mean of n integers, given their sum minus n zero points, to the output's scale.
[[nodiscard, gnu::always_inline]] inline quantizer mean_of(int n, const qparams& in_q,
                                                           const qparams& out_q) noexcept {
  quantizer q = quantizer_of(out_q);
  q.inverse = in_q.scale / (static_cast<float>(n) * out_q.scale);
  return q;
}

template <quantized Q>
[[gnu::always_inline]] inline void avg_window(const pool_shape& shape, const pool_window& w,
                                              const Q* in, const qparams& in_q,
                                              const qparams& out_q, Q* out) noexcept {
  const quantizer mean = mean_of(divisor_of(shape, w), in_q, out_q);
  for (int c = 0; c < shape.channels; ++c) {
    std::int32_t sum = 0;
    for_each_tap(w, [&](std::ptrdiff_t tap) { sum += in[w.in + tap + c] - in_q.zero_point; });
    out[w.out + c] = quantize<Q>(static_cast<float>(sum), mean);
  }
}

[[gnu::always_inline]] inline void avg_window(const pool_shape& shape, const pool_window& w,
                                              const float* in, float* out) noexcept {
  const auto n = static_cast<float>(divisor_of(shape, w));
  for (int c = 0; c < shape.channels; ++c) {
    float sum = 0.0F;
    for_each_tap(w, [&](std::ptrdiff_t tap) { sum += in[w.in + tap + c]; });
    out[w.out + c] = sum / n;
  }
}

/// Average pooling on integers.
///
///   out = clamp(zp_out + rne(float(Σ (in - zp_in)) * (scale_in / (n * scale_out))))
///
/// Shapes    in [N, in_h, in_w, C] · out [N, out_h, out_w, C], or with a depth before the height
/// n         pixels of the window inside input and padding, or inside the input alone, or the
///           shape's divisor
/// Requires  255 * the pixels of a window < 2³¹
/// Source    PyTorch aten/src/ATen/native/quantized/cpu: AveragePool2d, AdaptiveAveragePooling
template <quantized Q>
inline void pooling_avg(pool_shape shape, const Q* in, const qparams& in_q, const qparams& out_q,
                        Q* out) noexcept {
  for_each_window(shape, [&](const pool_window& w) { avg_window(shape, w, in, in_q, out_q, out); });
}

/// On float32: Σ / n, summed row by row.
inline void pooling_avg(pool_shape shape, const float* in, float* out) noexcept {
  for_each_window(shape, [&](const pool_window& w) { avg_window(shape, w, in, out); });
}

}  // namespace ctq::kernels::reference
