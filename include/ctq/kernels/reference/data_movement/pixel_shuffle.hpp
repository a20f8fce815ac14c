// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/core/shapes/layout_shapes.hpp"

namespace ctq::kernels::reference {

/// Moves elements between channels and pixels: one pixel of C * f² channels becomes f x f pixels of
/// C channels, or the other way round.
///
/// Shapes    large [N, H * f, W * f, C] · small [N, H, W, C * f²]: out and in, or in and out
/// Source    PyTorch pixel_shuffle, pixel_unshuffle
template <class T>
inline void pixel_shuffle(pixel_shuffle_shape s, const T* in, T* out) noexcept {
  const int f = s.factor;
  const std::ptrdiff_t row = std::ptrdiff_t{s.in_w} * f * s.channels;  // of large
  for (int n = 0; n < s.batch; ++n)
    for (int y = 0; y < s.in_h; ++y)
      for (int x = 0; x < s.in_w; ++x) {
        const std::ptrdiff_t pixel = (std::ptrdiff_t{n} * s.in_h + y) * s.in_w + x;
        const std::ptrdiff_t corner =
            (std::ptrdiff_t{n} * s.in_h + y) * f * row + std::ptrdiff_t{x} * f * s.channels;
        for (int i = 0; i < f; ++i)
          for (int j = 0; j < f; ++j)
            for (int c = 0; c < s.channels; ++c) {
              const std::ptrdiff_t small = ((pixel * s.channels + c) * f + i) * f + j;
              const std::ptrdiff_t large = corner + i * row + j * s.channels + c;
              if (s.gathers != 0) {
                out[small] = in[large];
              } else {
                out[large] = in[small];
              }
            }
      }
}

}  // namespace ctq::kernels::reference
