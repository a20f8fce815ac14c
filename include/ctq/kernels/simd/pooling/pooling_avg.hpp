// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <type_traits>

#include "ctq/kernels/reference/pooling_avg.hpp"
#include "ctq/kernels/simd/arch/rounding.hpp"
#include "ctq/kernels/simd/register_conversions.hpp"
#include "ctq/kernels/simd/widths.hpp"

namespace ctq::kernels::simd {

/// Sum of the taps of a window, one channel per lane; int32 for integers. `in` points to the first
/// tap.
template <class Isa, class T>
[[nodiscard, gnu::always_inline]] inline auto sum_of(const pool_window& w, const T* in) noexcept {
  using sums = std::conditional_t<quantized<T>, std::int32_t, float>;
  batch<Isa, sums> sum(sums{});
  for_each_tap(
      w, [&](std::ptrdiff_t tap) __attribute__((always_inline)) {
        if constexpr (quantized<T>) {
          sum += widen<Isa>(in + tap);
        } else {
          sum += batch<Isa, T>::load_unaligned(in + tap);
        }
      });
  return sum;
}

template <class Isa, quantized Q>
[[gnu::always_inline]] inline void avg_window(const pool_shape& shape, const pool_window& w,
                                              const Q* in, const qparams& in_q,
                                              const qparams& out_q, Q* out) noexcept {
  constexpr int n = float_lanes<Isa>;
  if (shape.channels < n) {
    reference::avg_window(shape, w, in, in_q, out_q, out);
    return;
  }
  const quantizer_lanes<Isa> mean(reference::mean_of(reference::divisor_of(shape, w), in_q, out_q));
  const batch<Isa, std::int32_t> zero(w.taps() * in_q.zero_point);
  for (int i = 0; i < shape.channels; i += n) {
    const int c = i < shape.channels - n ? i : shape.channels - n;
    const auto sum = sum_of<Isa>(w, in + w.in + c) - zero;
    narrow_store<Isa>(mean.nan_safe(to_float<Isa>(sum)), out + w.out + c);
  }
}

template <class Isa>
[[gnu::always_inline]] inline void avg_window(const pool_shape& shape, const pool_window& w,
                                              const float* in, float* out) noexcept {
  constexpr int n = float_lanes<Isa>;
  if (shape.channels < n) {
    reference::avg_window(shape, w, in, out);
    return;
  }
  const batch<Isa, float> pixels(static_cast<float>(reference::divisor_of(shape, w)));
  for (int i = 0; i < shape.channels; i += n) {
    const int c = i < shape.channels - n ? i : shape.channels - n;
    divide<Isa>(sum_of<Isa>(w, in + w.in + c), pixels).store_unaligned(out + w.out + c);
  }
}

/// As reference::pooling_avg on integers, byte for byte.
template <class Isa, quantized Q>
[[gnu::always_inline]] inline void pooling_avg(pool_shape shape, const Q* in, const qparams& in_q,
                                               const qparams& out_q, Q* out) noexcept {
  if constexpr (!vectorized<Isa>) {
    reference::pooling_avg(shape, in, in_q, out_q, out);
  } else {
    with_width<Isa, float>(
        shape.channels, [&](auto width) __attribute__((always_inline)) {
          for_each_window(
              shape, [&](const pool_window& w) __attribute__((always_inline)) {
                avg_window<decltype(width)>(shape, w, in, in_q, out_q, out);
              });
        });
  }
}

/// As reference::pooling_avg on floats, bit for bit.
template <class Isa>
[[gnu::always_inline]] inline void pooling_avg(pool_shape shape, const float* in,
                                               float* out) noexcept {
  if constexpr (!vectorized<Isa>) {
    reference::pooling_avg(shape, in, out);
  } else {
    with_width<Isa, float>(
        shape.channels, [&](auto width) __attribute__((always_inline)) {
          for_each_window(
              shape, [&](const pool_window& w) __attribute__((always_inline)) {
                avg_window<decltype(width)>(shape, w, in, out);
              });
        });
  }
}

}  // namespace ctq::kernels::simd
