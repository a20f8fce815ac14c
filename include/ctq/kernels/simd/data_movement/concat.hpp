// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstring>

#include "ctq/core/shapes/layout_shapes.hpp"
#include "ctq/kernels/reference/data_movement/concat.hpp"
#include "ctq/kernels/simd/for_blocks.hpp"
#include "ctq/kernels/simd/widths.hpp"

namespace ctq::kernels::simd {

/// As reference::concat. Rows are short (the channels of a pixel), so they are copied through
/// registers rather than by a memcpy call each.
template <class Isa, class T>
[[gnu::always_inline]] inline void concat(concat_shape shape, const T* in, T* out) noexcept {
  if constexpr (!vectorized<Isa>) {
    reference::concat(shape, in, out);
  } else {
    if (shape.rows <= 0 || shape.in_width <= 0) return;
    if (shape.rows == 1 || shape.in_width == shape.out_width) {
      const std::size_t count =
          static_cast<std::size_t>(shape.rows) * static_cast<std::size_t>(shape.in_width);
      std::memcpy(out + shape.offset, in, count * sizeof(T));
      return;
    }
    with_width<Isa, T>(
        shape.in_width, [&](auto width) __attribute__((always_inline)) {
          using lanes = batch<decltype(width), T>;
          for (std::ptrdiff_t row = 0; row < shape.rows; ++row) {
            const T* from = in + row * shape.in_width;
            T* to = out + row * shape.out_width + shape.offset;
            for_blocks<static_cast<int>(lanes::size)>(
                shape.in_width,
                [&](int i)
                    __attribute__((always_inline)) { return lanes::load_unaligned(from + i); },
                [&](int i, const lanes& x)
                    __attribute__((always_inline)) { x.store_unaligned(to + i); },
                [&](int i) __attribute__((always_inline)) { to[i] = from[i]; });
          }
        });
  }
}

}  // namespace ctq::kernels::simd
