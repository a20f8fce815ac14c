// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "ctq/core/shapes/matrix_shapes.hpp"
#include "ctq/kernels/int4_weights.hpp"

namespace ctq::kernels::reference {

/// The value of weight [n,k].
[[nodiscard]] inline int int4_value(const int4_weights& w, int in_features, int n, int k) noexcept {
  const std::ptrdiff_t row = std::ptrdiff_t{n} * ((in_features + 1) / 2);
  return w.values[row + k / 2] >> (k % 2 * 4) & 15;
}

/// The zero point of group g of channel n.
[[nodiscard]] inline int int4_zero_point(const int4_weights& w, int groups, int n, int g) noexcept {
  return w.zero_point == nullptr ? 8 : w.zero_point[std::ptrdiff_t{n} * groups + g] & 15;
}

/// Fully connected layer with 4-bit weights, on activations quantized per row (quantize_rows).
/// Products of a group are accumulated as integers, the groups as floats, in order:
///
///   acc[g]   = Σ_(k in g) in[m,k] * (value[n,k] - zero_point[n,g])
///   total    = fma(float(acc[g]), scale[n,g], total)        for each g, from 0
///   out[m,n] = fma(total, in_scale[m], bias[n])
///
/// Shapes    in [M,K] · in_scale [M] · weight [N,K] · bias [N] or null · out [M,N]
/// Requires  group_size <= 2^20, so that acc cannot overflow
/// Rounding  acc is exact; once in each fma
/// Source    torchao Int8DynamicActivationInt4WeightConfig with act_mapping_type SYMMETRIC; PyTorch
///           _dyn_quant_matmul_4bit
inline void linear_weight_int4(const linear_shape& s, const std::int8_t* in, const float* in_scale,
                               const int4_weights& weight, const float* bias, float* out) noexcept {
  const int groups = weight.groups(s.in_features);
  for (int m = 0; m < s.rows; ++m) {
    for (int n = 0; n < s.out_features; ++n) {
      const std::int8_t* row = in + std::ptrdiff_t{m} * s.in_features;
      float total = 0.0F;
      for (int g = 0; g < groups; ++g) {
        const int end = std::min((g + 1) * weight.group_size, s.in_features);
        const int zero_point = int4_zero_point(weight, groups, n, g);
        std::int32_t acc = 0;
        for (int k = g * weight.group_size; k < end; ++k) {
          acc += row[k] * (int4_value(weight, s.in_features, n, k) - zero_point);
        }
        total =
            ::fmaf(static_cast<float>(acc), weight.scale[std::ptrdiff_t{n} * groups + g], total);
      }
      *out++ = ::fmaf(total, in_scale[m], bias == nullptr ? 0.0F : bias[n]);
    }
  }
}

}  // namespace ctq::kernels::reference
