// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "ctq/kernels/reference/matmul.hpp"

// Products of matrices of activations, in loops that compilers vectorize: rows of a with panels of
// 16 columns of b. On floats sums are of float64, on integers of float32, in which sums of up to
// 256 products of two bytes are exact; contraction changes neither.

namespace ctq::kernels::simd {

namespace products {

inline constexpr int columns = 16;  // of a panel
inline constexpr int rows = 4;      // that are multiplied with it at once
inline constexpr int exact = 256;   // products of bytes whose sum a float holds exactly
static_assert(exact * 255 * 255 < 1 << 24);

/// A panel of b, [k, columns], as floats; columns that b does not have are 0.
template <class Isa, class T>
[[gnu::always_inline]] inline void pack(const matmul_shape& s, const T* b, int zero_point,
                                        int first, float* to) noexcept {
  const std::ptrdiff_t k = s.k, n = s.n;
  const int count = s.n - first < columns ? s.n - first : columns;
  const auto number = [&](T x) __attribute__((always_inline)) {
    if constexpr (quantized<T>) {
      return static_cast<float>(x - zero_point);
    } else {
      return x;
    }
  };
  if (s.transposed == 0 && count == columns) {
    for (std::ptrdiff_t i = 0; i < k; ++i)
      for (int j = 0; j < columns; ++j) to[i * columns + j] = number(b[i * n + first + j]);
    return;
  }
  for (std::ptrdiff_t i = 0; i < k * columns; ++i) to[i] = 0.0F;
  for (int j = 0; j < count; ++j)
    for (std::ptrdiff_t i = 0; i < k; ++i)
      to[i * columns + j] =
          number(s.transposed != 0 ? b[(first + j) * k + i] : b[i * n + first + j]);
}

/// sum[r][j] += Σ a[r][i] * b[i][j] for i from first to last.
template <class Isa, int Rows, class Sum>
[[gnu::always_inline]] inline void add(const float* const (&a)[rows], const float* b,
                                       std::ptrdiff_t first, std::ptrdiff_t last,
                                       Sum (&sum)[Rows][columns]) noexcept {
  for (std::ptrdiff_t i = first; i < last; ++i)
    for (int r = 0; r < Rows; ++r) {
      const auto x = static_cast<Sum>(a[r][i]);
      for (int j = 0; j < columns; ++j) sum[r][j] += x * static_cast<Sum>(b[i * columns + j]);
    }
}

/// Calls f(rows) with the number of rows that are left as a constant.
template <class F>
[[gnu::always_inline]] inline void with_rows(int count, F f) noexcept {
  static_assert(rows == 4);
  if (count >= 4) return f(std::integral_constant<int, 4>{});
  if (count == 3) return f(std::integral_constant<int, 3>{});
  if (count == 2) return f(std::integral_constant<int, 2>{});
  f(std::integral_constant<int, 1>{});
}

}  // namespace products

/// Bytes: a panel of b, and rows of a.
[[nodiscard]] constexpr std::size_t matmul_workspace(const matmul_shape& s) {
  return static_cast<std::size_t>(s.k) * (products::columns + products::rows) * sizeof(float);
}

/// As reference::matmul, bit for bit.
template <class Isa>
[[gnu::noinline]] void matmul(const matmul_shape& s, const float* a, const float* b,
                              float* workspace, float* out) noexcept {
  using namespace products;
  const std::ptrdiff_t m = s.m, n = s.n, k = s.k;
  for (std::ptrdiff_t i = 0; i < s.batch; ++i) {
    const float* const left = a + (s.matrices[0] == 1 ? 0 : i * m * k);
    const float* const right = b + (s.matrices[1] == 1 ? 0 : i * k * n);
    for (int first = 0; first < s.n; first += columns) {
      const int count = s.n - first < columns ? s.n - first : columns;
      pack<Isa>(s, right, 0, first, workspace);
      for (int y = 0; y < s.m; y += rows)
        with_rows(
            s.m - y, [&](auto fixed) __attribute__((always_inline)) {
              constexpr int now = decltype(fixed)::value;
              const float* from[rows]{};
              for (int r = 0; r < now; ++r) from[r] = left + (y + r) * k;
              double sum[now][columns]{};
              add<Isa, now>(from, workspace, 0, k, sum);
              for (int r = 0; r < now; ++r)
                for (int j = 0; j < count; ++j)
                  out[(i * m + y + r) * n + first + j] = static_cast<float>(sum[r][j]);
            });
    }
  }
}

template <class Isa, quantized Q>
[[gnu::noinline]] void matmul(const matmul_shape& s, const Q* a, const qparams& a_q, const Q* b,
                              const qparams& b_q, const qparams& out_q, float* workspace,
                              Q* out) noexcept {
  using namespace products;
  const float multiplier = output_multiplier(a_q.scale, b_q.scale, out_q.scale);
  const quantizer to = quantizer_of(out_q);
  const std::int32_t added = to.zero_point - std::bit_cast<std::int32_t>(round_to_integer);
  const std::ptrdiff_t m = s.m, n = s.n, k = s.k;
  float* const of_a = workspace + k * columns;
  for (std::ptrdiff_t i = 0; i < s.batch; ++i) {
    const Q* const left = a + (s.matrices[0] == 1 ? 0 : i * m * k);
    const Q* const right = b + (s.matrices[1] == 1 ? 0 : i * k * n);
    for (int first = 0; first < s.n; first += columns) {
      const int count = s.n - first < columns ? s.n - first : columns;
      pack<Isa>(s, right, b_q.zero_point, first, workspace);
      for (int y = 0; y < s.m; y += rows)
        with_rows(
            s.m - y, [&](auto fixed) __attribute__((always_inline)) {
              constexpr int now = decltype(fixed)::value;
              for (std::ptrdiff_t j = 0; j < now * k; ++j)
                of_a[j] = static_cast<float>(left[y * k + j] - a_q.zero_point);
              const float* from[rows]{};
              for (int r = 0; r < now; ++r) from[r] = of_a + r * k;
              std::int32_t total[now][columns]{};
              for (std::ptrdiff_t part = 0; part < k; part += exact) {
                float sum[now][columns]{};
                add<Isa, now>(from, workspace, part, part + exact < k ? part + exact : k, sum);
                for (int r = 0; r < now; ++r)
                  for (int j = 0; j < columns; ++j)
                    total[r][j] += static_cast<std::int32_t>(sum[r][j]);
              }
              for (int r = 0; r < now; ++r) {
                Q bytes[columns];
                for (int j = 0; j < columns; ++j) {
                  float x = static_cast<float>(total[r][j]) * multiplier;
                  x = x < to.low ? to.low : x;
                  x = x > to.high ? to.high : x;
                  bytes[j] =
                      static_cast<Q>(std::bit_cast<std::int32_t>(x + round_to_integer) + added);
                }
                for (int j = 0; j < count; ++j) out[(i * m + y + r) * n + first + j] = bytes[j];
              }
            });
    }
  }
}

}  // namespace ctq::kernels::simd
