// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <limits>

#include "ctq/core/shapes/window_shapes.hpp"
#include "ctq/kernels/pool_window.hpp"

namespace ctq::kernels::reference {

/// The initial maximum: the value of padding, and of a window that covers only padding.
template <class T>
inline constexpr T lowest = std::numeric_limits<T>::has_infinity
                                ? -std::numeric_limits<T>::infinity()
                                : std::numeric_limits<T>::lowest();

template <class T>
[[gnu::always_inline]] inline void max_window(const pool_shape& shape, const pool_window& w,
                                              const T* in, T* out) noexcept {
  for (int c = 0; c < shape.channels; ++c) {
    T best = lowest<T>;
    for_each_tap(w, [&](std::ptrdiff_t tap) {
      const T value = in[w.in + tap + c];
      if (value > best || value != value) best = value;
    });
    out[w.out + c] = best;
  }
}

/// Max pooling; a window with NaN gives NaN, the last one.
///
/// Shapes    in [N, in_h, in_w, C] · out [N, out_h, out_w, C], or with a depth before the height
/// Units     integers are compared directly: input and output share their qparams
/// Source    PyTorch aten/src/ATen/native/quantized/cpu: Pooling, MaxPooling
template <class T>
inline void pooling_max(pool_shape shape, const T* in, T* out) noexcept {
  for_each_window(shape, [&](const pool_window& w) { max_window(shape, w, in, out); });
}

}  // namespace ctq::kernels::reference
