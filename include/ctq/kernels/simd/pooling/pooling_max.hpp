// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <cstddef>

#include "ctq/core/shapes/window_shapes.hpp"
#include "ctq/core/unroll.hpp"
#include "ctq/kernels/reference/pooling_max.hpp"
#include "ctq/kernels/simd/pooling/pool_of_channels.hpp"
#include "ctq/kernels/simd/pooling/window_groups.hpp"
#include "ctq/kernels/simd/widths.hpp"

namespace ctq::kernels::simd {

/// The maximum in each lane; `value` if that is NaN. Uses isnan, since in xsimd 8.1 on AVX != does
/// not detect NaN.
template <class Batch>
[[nodiscard, gnu::always_inline]] inline Batch larger(const Batch& best,
                                                      const Batch& value) noexcept {
  if constexpr (std::floating_point<typename Batch::value_type>) {
    return xsimd::select((value > best) | xsimd::isnan(value), value, best);
  } else {
    return xsimd::max(best, value);
  }
}

/// The maxima of the taps of windows, one channel per lane.
/// Requires  at least as many channels as a register has lanes
template <class Isa, class T>
[[gnu::always_inline]] inline void max_windows(const pool_window& w, int count, int channels,
                                               std::ptrdiff_t stride, const T* in,
                                               T* out) noexcept {
  using lanes = batch<Isa, T>;
  for_each_group<static_cast<int>(lanes::size)>(
      w, count, channels, stride, [&](const window_group& g) __attribute__((always_inline)) {
        lanes best[registers_of_a_group];
        unroll<registers_of_a_group>([&](auto k) __attribute__((always_inline)) {
          best[k] = lanes(reference::lowest<T>);
        });
        for_each_tap(
            w, [&](std::ptrdiff_t tap) __attribute__((always_inline)) {
              unroll<registers_of_a_group>([&](auto k) __attribute__((always_inline)) {
                best[k] = larger(best[k], lanes::load_unaligned(in + (g.in[k] + tap)));
              });
            });
        unroll<registers_of_a_group>([&](auto k) __attribute__((always_inline)) {
          best[k].store_unaligned(out + g.out[k]);
        });
      });
}

/// A window of fewer channels than lanes: the register reads past the pixel's channels and writes
/// garbage to the next pixels, which is overwritten later. The last pixels, where that would exceed
/// the tensors, whose element counts are in_end and out_end, are computed one by one.
template <class Isa, class T>
[[gnu::always_inline]] inline void max_window(const pool_shape& shape, const pool_window& w,
                                              const T* in, std::ptrdiff_t in_end, T* out,
                                              std::ptrdiff_t out_end) noexcept {
  using lanes = batch<Isa, T>;
  constexpr int n = static_cast<int>(lanes::size);
  if (w.out + n > out_end || w.taps() == 0 || w.in + w.reach() + n > in_end) {
    reference::max_window(shape, w, in, out);
    return;
  }
  lanes best(reference::lowest<T>);
  for_each_tap(
      w, [&](std::ptrdiff_t tap) __attribute__((always_inline)) {
        best = larger(best, lanes::load_unaligned(in + (w.in + tap)));
      });
  best.store_unaligned(out + w.out);
}

/// As reference::pooling_max, byte for byte.
template <class Isa, std::convertible_to<pool_shape> Shape, class T>
[[gnu::always_inline]] inline void pooling_max(const Shape& known, const T* in, T* out) noexcept {
  const pool_shape shape = known;  // a copy, since stores of bytes may alias a reference
  const auto channels = channels_of(known);
  if constexpr (!vectorized<Isa>) {
    reference::pooling_max(shape, in, out);
  } else if (channels < static_cast<int>(batch<narrowest_width<Isa>, T>::size)) {
    const std::ptrdiff_t planes = static_cast<std::ptrdiff_t>(shape.batch) * shape.channels;
    const std::ptrdiff_t in_end = planes * shape.in_d * shape.in_h * shape.in_w;
    const std::ptrdiff_t out_end = planes * shape.out_d * shape.out_h * shape.out_w;
    for_each_window(
        shape, [&](const pool_window& w) __attribute__((always_inline)) {
          max_window<narrowest_width<Isa>>(shape, w, in, in_end, out, out_end);
        });
  } else {
    const std::ptrdiff_t stride = stride_of_windows(shape);
    with_width<Isa, T>(
        channels, [&](auto width) __attribute__((always_inline)) {
          for_each_run(
              shape, [&](const pool_window& w, int count) __attribute__((always_inline)) {
                max_windows<decltype(width)>(w, count, shape.channels, stride, in, out);
              });
        });
  }
}

}  // namespace ctq::kernels::simd
