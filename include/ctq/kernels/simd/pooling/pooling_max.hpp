// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>

#include "ctq/kernels/reference/pooling_max.hpp"
#include "ctq/kernels/simd/pooling/pool_of_channels.hpp"
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

/// The maximum of the taps of a window, one channel per lane. `in` points to the first tap.
template <class Batch, class T>
[[nodiscard, gnu::always_inline]] inline Batch largest(const pool_window& w, const T* in) noexcept {
  Batch best(reference::lowest<T>);
  for_each_tap(
      w, [&](std::ptrdiff_t tap) __attribute__((always_inline)) {
        best = larger(best, Batch::load_unaligned(in + tap));
      });
  return best;
}

/// Computes one window. in_end and out_end are the element counts of the tensors.
///
/// With fewer channels than lanes a register reads past the pixel's channels and writes garbage to
/// the next pixels, which is overwritten later. The last pixels, where that would exceed the
/// tensors, are computed one by one.
template <class Isa, class T>
[[gnu::always_inline]] inline void max_window(const pool_shape& shape, const pool_window& w,
                                              const T* in, std::ptrdiff_t in_end, T* out,
                                              std::ptrdiff_t out_end) noexcept {
  using lanes = batch<Isa, T>;
  constexpr int n = static_cast<int>(lanes::size);
  if (shape.channels >= n) {
    for (int i = 0; i < shape.channels; i += n) {
      const int c = i < shape.channels - n ? i : shape.channels - n;
      largest<lanes>(w, in + w.in + c).store_unaligned(out + w.out + c);
    }
  } else if (w.out + n <= out_end && w.taps() > 0 && w.in + w.reach() + n <= in_end) {
    largest<lanes>(w, in + w.in).store_unaligned(out + w.out);
  } else {
    reference::max_window(shape, w, in, out);
  }
}

/// As reference::pooling_max, byte for byte.
template <class Isa, std::convertible_to<pool_shape> Shape, class T>
[[gnu::always_inline]] inline void pooling_max(const Shape& known, const T* in, T* out) noexcept {
  const pool_shape shape = known;  // stores of bytes could change what a reference refers to
  if constexpr (!vectorized<Isa>) {
    reference::pooling_max(shape, in, out);
  } else {
    const std::ptrdiff_t planes = static_cast<std::ptrdiff_t>(shape.batch) * shape.channels;
    const std::ptrdiff_t in_end = planes * shape.in_d * shape.in_h * shape.in_w;
    const std::ptrdiff_t out_end = planes * shape.out_d * shape.out_h * shape.out_w;
    with_width<Isa, T>(
        channels_of(known), [&](auto width) __attribute__((always_inline)) {
          for_each_window(
              shape, [&](const pool_window& w) __attribute__((always_inline)) {
                max_window<decltype(width)>(shape, w, in, in_end, out, out_end);
              });
        });
  }
}

}  // namespace ctq::kernels::simd
