// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <type_traits>

#include "ctq/core/kernel_signature.hpp"

namespace ctq::kernels::simd {

/// A fully connected layer as a convolution: one-pixel kernels over a row of `rows` pixels.
///
///   out[m,n] = requantize(bias[n] + Σ_k in[m,k] * weight[n,k])
///
/// Shapes    in [M,K] · weight [N,K] · bias [N] or null · out [M,N]
/// Source    PyTorch quantized::linear, in QNNPACK's arithmetic
[[nodiscard]] constexpr conv2d_shape as_conv2d(const linear_shape& s) {
  return {.batch = 1,
          .in_h = 1,
          .in_w = s.rows,
          .in_channels = s.in_features,
          .out_channels = s.out_features,
          .kernel_h = 1,
          .kernel_w = 1};
}
template <linear_shape S>
[[nodiscard]] constexpr auto as_conv2d(std::integral_constant<linear_shape, S>) {
  return std::integral_constant<conv2d_shape, as_conv2d(S)>{};
}

}  // namespace ctq::kernels::simd
