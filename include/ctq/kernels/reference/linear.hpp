// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "ctq/core/kernel_signature.hpp"
#include "ctq/kernels/reference/requantize.hpp"

// Linear layers in plain loops: the reference for testing the fast kernels.

namespace ctq::kernels::reference {

/// Σ_k a[k] * b[k], modulo 2^32, exact.
template <class In>
[[nodiscard]] std::uint32_t sum_of_products(int count, const In* a, const std::int8_t* b) {
  std::uint32_t sum = 0;
  for (int k = 0; k < count; ++k) sum += static_cast<std::uint32_t>(a[k] * b[k]);
  return sum;
}

/// Calls output(channel, index into [M,N], sum) for each output element of a layer on 8-bit
/// integers: sum = bias[n] + Σ_k in[m,k] * weight[n,k], modulo 2^32, exact.
template <class In, class Output>
void for_each_accumulator(const linear_shape& s, const In* in, const std::int8_t* weight,
                          const std::int32_t* bias, Output output) {
  std::ptrdiff_t index = 0;
  for (int m = 0; m < s.rows; ++m) {
    for (int n = 0; n < s.out_features; ++n) {
      const In* row = in + std::ptrdiff_t{m} * s.in_features;
      const std::int8_t* w = weight + std::ptrdiff_t{n} * s.in_features;
      const auto start = static_cast<std::uint32_t>(bias == nullptr ? 0 : bias[n]);
      const std::uint32_t products = sum_of_products(s.in_features, row, w);
      output(n, index++, static_cast<std::int32_t>(start + products));
    }
  }
}

/// Fully connected layer on 8-bit integers.
///
///   out[m,n] = requantize(bias[n] + Σ_k in[m,k] * weight[n,k])
///
/// Shapes    in [M,K] · weight [N,K] · bias [N] or null · out [M,N]
/// Units     in, out: quantized values (uint8 or int8) · bias: int32, input zero point folded in
/// Rounding  accumulation exact, modulo 2^32; requantization rounds once, ties to even
/// Source    PyTorch quantized::linear, in QNNPACK's arithmetic
template <class In, class Out>
void linear(const linear_shape& s, const In* in, const std::int8_t* weight,
            const std::int32_t* bias, const requantize_params& to, Out* out) {
  for_each_accumulator(
      s, in, weight, bias, [&](int channel, std::ptrdiff_t index, std::int32_t sum) {
        out[index] = static_cast<Out>(requantize(sum, to.multiplier[channel], to.range()));
      });
}

/// The same in float32: acc starts with the bias, one fma for each k in order. relu keeps NaN.
inline void linear(const linear_shape& s, const float* in, const float* weight, const float* bias,
                   bool relu, float* out) {
  for (int m = 0; m < s.rows; ++m) {
    for (int n = 0; n < s.out_features; ++n) {
      const float* row = in + std::ptrdiff_t{m} * s.in_features;
      const float* w = weight + std::ptrdiff_t{n} * s.in_features;
      float acc = bias == nullptr ? 0.0F : bias[n];
      for (int k = 0; k < s.in_features; ++k) acc = std::fma(row[k], w[k], acc);
      *out++ = relu && acc < 0.0F ? 0.0F : acc;
    }
  }
}

}  // namespace ctq::kernels::reference
