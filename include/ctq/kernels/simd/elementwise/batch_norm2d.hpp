// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/shapes/elementwise_shapes.hpp"
#include "ctq/kernels/reference/batch_norm2d.hpp"
#include "ctq/kernels/simd/arch/rounding.hpp"
#include "ctq/kernels/simd/elementwise/relu.hpp"
#include "ctq/kernels/simd/for_blocks.hpp"

namespace ctq::kernels::simd {

/// As reference::batch_norm2d, bit for bit. Without an fma instruction it calls the reference,
/// since a product rounded before the addition gives other results.
template <class Isa>
[[gnu::always_inline]] inline void batch_norm2d(channels_shape shape, const float* in,
                                                const float* scale, const float* shift, bool relu,
                                                float* out) noexcept {
  if constexpr (!has_fma<Isa>) {
    reference::batch_norm2d(shape, in, scale, shift, relu, out);
  } else {
    using floats = batch<Isa, float>;
    for (std::ptrdiff_t row = 0; row < shape.rows; ++row) {
      const float* from = in + row * shape.channels;
      float* to = out + row * shape.channels;
      for_blocks<static_cast<int>(floats::size)>(
          shape.channels,
          [&](int c) __attribute__((always_inline)) {
            const floats y =
                fma<Isa>(floats::load_unaligned(from + c), floats::load_unaligned(scale + c),
                         floats::load_unaligned(shift + c));
            return relu ? simd::relu<Isa>(y) : y;
          },
          [&](int c, const floats& y) __attribute__((always_inline)) { y.store_unaligned(to + c); },
          [&](int c) __attribute__((always_inline)) {
            to[c] = reference::batch_norm2d(from[c], scale[c], shift[c], relu);
          });
    }
  }
}

}  // namespace ctq::kernels::simd
