// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "ctq/core/shapes/matrix_shapes.hpp"

namespace ctq::kernels::reference {

/// Fully connected layer with weight-only quantization: symmetric, per channel:
///
///   acc      = fma(in[m,k], float(weight[n,k]), acc)        for each k in order, from 0
///   out[m,n] = fma(acc, scale[n], bias[n])
///
/// Shapes    in [M,K] · weight [N,K] · scale [N] · bias [N] or null · out [M,N]
/// Rounding  once in each fma
/// Source    PyTorch _weight_int8pack_mm (which does not specify the order of summation)
inline void linear_weight_int8(const linear_shape& s, const float* in, const std::int8_t* weight,
                               const float* scale, const float* bias, float* out) noexcept {
  for (int m = 0; m < s.rows; ++m) {
    for (int n = 0; n < s.out_features; ++n) {
      const float* row = in + std::ptrdiff_t{m} * s.in_features;
      const std::int8_t* w = weight + std::ptrdiff_t{n} * s.in_features;
      float acc = 0.0F;
      for (int k = 0; k < s.in_features; ++k) acc = ::fmaf(row[k], static_cast<float>(w[k]), acc);
      *out++ = ::fmaf(acc, scale[n], bias == nullptr ? 0.0F : bias[n]);
    }
  }
}

}  // namespace ctq::kernels::reference
