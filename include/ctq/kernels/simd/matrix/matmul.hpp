// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "ctq/core/shapes/matrix_shapes.hpp"
#include "ctq/kernels/reference/matmul.hpp"
#include "ctq/kernels/simd/arch/avx512_warnings.hpp"
#include "ctq/kernels/simd/matrix/matmul_int8.hpp"
#include "ctq/kernels/simd/matrix/product_panels.hpp"
#include "ctq/kernels/xsimd.hpp"

// Products of matrices of float activations. Sums are of float64 in the order of k; the products
// are exact, so that instruction sets with and without fma compute the same sums.

CTQ_BEGIN_AVX512

namespace ctq::kernels::simd {

/// Registers of one double.
struct double_scalar_dot : scalar_dot<void, double> {
  [[gnu::always_inline]] static double dot(double acc, double a, double b) { return acc + a * b; }
  [[gnu::always_inline]] static double widened(const float* p) { return *p; }
  [[gnu::always_inline]] static void narrowed(double x, float* p) { *p = static_cast<float>(x); }
};

template <class Isa>
struct double_xsimd_dot : xsimd_dot<Isa, double> {
  using vec = batch<Isa, double>;
  static constexpr int lanes = xsimd_dot<Isa, double>::lanes;

  [[gnu::always_inline]] static vec dot(const vec& acc, const vec& a, const vec& b) {
    if constexpr (has_fma<Isa>) {
      return xsimd::fma(a, b, acc);
    } else {
      return acc + a * b;
    }
  }
  [[gnu::always_inline]] static vec widened(const float* p) {
    double wide[lanes];
    for (int i = 0; i < lanes; ++i) wide[i] = p[i];
    return vec::load_unaligned(wide);
  }
  [[gnu::always_inline]] static void narrowed(const vec& x, float* p) {
    double wide[lanes];
    x.store_unaligned(wide);
    for (int i = 0; i < lanes; ++i) p[i] = static_cast<float>(wide[i]);
  }
};

template <class Isa>
struct double_dot : double_scalar_dot {};
template <vectorized Isa>
struct double_dot<Isa> : double_xsimd_dot<Isa> {};

/// Bytes: the rows of a and a panel of b, both as doubles.
template <class Isa>
[[nodiscard]] constexpr std::size_t matmul_workspace(const matmul_shape& s) {
  using panels = product_panels<double_dot<Isa>>;
  return panels::row_bytes(s) + panels::panel_bytes(s);
}

/// As reference::matmul, bit for bit.
/// Requires  the operands do not overlap · workspace: matmul_workspace bytes, aligned to 64
template <class Isa>
[[gnu::noinline]] void matmul(const matmul_shape& s, const float* a, const float* b,
                              float* workspace, float* out) noexcept {
  using dot = double_dot<Isa>;
  using panels = product_panels<dot>;
  constexpr int rows = panels::rows, vectors = panels::vectors, columns = panels::columns;
  const auto operand = [](const float* p) __attribute__((always_inline)) {
    return dot::widened(p);
  };
  auto* const left = reinterpret_cast<double*>(workspace);
  std::byte* const panel = reinterpret_cast<std::byte*>(workspace) + panels::row_bytes(s);
  const std::ptrdiff_t stride = panels::stride(s);
  for (std::ptrdiff_t i = 0; i < s.batch; ++i) {
    const float* const right = b + (s.matrices[1] == 1 ? 0 : i * s.k * s.n);
    float* const to = out + i * s.m * s.n;
    if (i == 0 || s.matrices[0] != 1)
      for (int y = 0; y < s.m; ++y) std::copy_n(a + (i * s.m + y) * s.k, s.k, left + y * stride);
    for (int first = 0; first < s.n; first += columns) {
      const int count = std::min(columns, s.n - first);
      if (s.transposed != 0) {
        panels::pack_columns(s, right + std::ptrdiff_t{first} * s.k, count, panel, operand);
      } else {
        panels::pack_rows(s, right + first, count, panel, operand);
      }
      for (int y = 0; y < s.m; y += rows) {
        const double* row[rows];
        typename dot::vec acc[rows][vectors];
        unroll<rows>([&](auto r) __attribute__((always_inline)) {
          row[r] = left + std::min(y + r, s.m - 1) * stride;
          unroll<vectors>([&](auto v) __attribute__((always_inline)) {
            acc[r][v] = typename dot::vec(0.0);
          });
        });
        panels::add(row, s.k, panel, acc);
        unroll<rows>([&](auto r) __attribute__((always_inline)) {
          if (y + r >= s.m) return;
          float kept[columns];
          unroll<vectors>([&](auto v) __attribute__((always_inline)) {
            dot::narrowed(acc[r][v], kept + v * dot::lanes);
          });
          std::copy_n(kept, count, to + std::ptrdiff_t{y + r} * s.n + first);
        });
      }
    }
  }
}

}  // namespace ctq::kernels::simd

CTQ_END_AVX512
