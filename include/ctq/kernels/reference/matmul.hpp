// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "ctq/core/qparams.hpp"
#include "ctq/core/shapes/matrix_shapes.hpp"
#include "ctq/kernels/integer_arithmetic.hpp"
#include "ctq/kernels/quantizer.hpp"

namespace ctq::kernels::reference {

/// Calls f(element of out, row of a, column of b, step along the column) for each product.
template <class T, class F>
inline void for_products(const matmul_shape& s, const T* a, const T* b, F f) noexcept {
  const std::ptrdiff_t m = s.m, n = s.n, k = s.k;
  for (std::ptrdiff_t i = 0; i < s.batch; ++i) {
    const T* const left = a + (s.matrices[0] == 1 ? 0 : i * m * k);
    const T* const right = b + (s.matrices[1] == 1 ? 0 : i * k * n);
    for (std::ptrdiff_t y = 0; y < m; ++y)
      for (std::ptrdiff_t x = 0; x < n; ++x)
        f((i * m + y) * n + x, left + y * k, right + (s.transposed != 0 ? x * k : x),
          s.transposed != 0 ? 1 : n);
  }
}

/// Products of matrices of activations, on float32.
///
///   out[i, y, x] = float(Σ_k a[i, y, k] * b[i, k, x])
///
/// Shapes   a [batch or 1, m, k] · b [batch or 1, k, n], or [.., n, k] if transposed · out [batch,
///          m, n]
/// Sums     in float64, from the first k to the last. Products of two floats are exact in float64,
///          so that no contraction changes them
/// The workspace is unused; the kernel in simd/ needs it.
inline void matmul(const matmul_shape& s, const float* a, const float* b, float*,
                   float* out) noexcept {
  for_products(s, a, b,
               [&](std::ptrdiff_t to, const float* row, const float* column, std::ptrdiff_t step) {
                 double sum = 0;
                 for (std::ptrdiff_t k = 0; k < s.k; ++k)
                   sum += static_cast<double>(row[k]) * static_cast<double>(column[k * step]);
                 out[to] = static_cast<float>(sum);
               });
}

/// The same on integers, by the arithmetic of linear layers: exact sums, one multiplier.
///
///   acc = Σ_k (a[i, y, k] - zero_point_a) * (b[i, k, x] - zero_point_b)
///   out = int(clamp(rne(float(acc) * ((scale_b * scale_a) * (1 / scale_out))))) + zero_point_out
///
/// The clamp comes before the conversion to int, so that no scale overflows.
/// Requires  k <= most_int8_products, so that no sum leaves int32
template <quantized Q>
inline void matmul(const matmul_shape& s, const Q* a, const qparams& a_q, const Q* b,
                   const qparams& b_q, const qparams& out_q, float*, Q* out) noexcept {
  const float multiplier = output_multiplier(a_q.scale, b_q.scale, out_q.scale);
  const quantizer to = quantizer_of(out_q);
  for_products(s, a, b, [&](std::ptrdiff_t at, const Q* row, const Q* column, std::ptrdiff_t step) {
    std::int32_t sum = 0;
    for (std::ptrdiff_t k = 0; k < s.k; ++k)
      sum += (row[k] - a_q.zero_point) * (column[k * step] - b_q.zero_point);
    const float scaled = ::nearbyintf(static_cast<float>(sum) * multiplier);
    const float clamped = std::clamp(scaled, to.low, to.high);
    out[at] = static_cast<Q>(static_cast<std::int32_t>(clamped) + to.zero_point);
  });
}

}  // namespace ctq::kernels::reference
