// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/core/shapes/layout_shapes.hpp"

namespace ctq::kernels::reference {

/// out[n, pixel, channel] = in[n, channel, pixel]
/// Always inlined, since simd/ calls it for few channels, from code for different instruction sets.
template <class T>
[[gnu::always_inline]] inline void to_nhwc(transpose_shape shape, const T* in, T* out) noexcept {
  const std::ptrdiff_t channels = shape.channels;
  const std::ptrdiff_t pixels = shape.pixels;
  for (std::ptrdiff_t n = 0; n < shape.batch; ++n) {
    for (std::ptrdiff_t c = 0; c < channels; ++c) {
      for (std::ptrdiff_t p = 0; p < pixels; ++p) {
        out[(n * pixels + p) * channels + c] = in[(n * channels + c) * pixels + p];
      }
    }
  }
}

/// out[n, channel, pixel] = in[n, pixel, channel]
template <class T>
inline void to_nchw(transpose_shape shape, const T* in, T* out) noexcept {
  to_nhwc({.batch = shape.batch, .channels = shape.pixels, .pixels = shape.channels}, in, out);
}

}  // namespace ctq::kernels::reference
