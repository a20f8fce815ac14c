// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "ctq/train/lanes.hpp"

// Products of float matrices for training: convolutions are products with the columns of im2col.
// Tiles of the result stay in registers; blocks of the inputs in the first-level cache. The order
// of additions depends on the instruction set, so the last bits do, too.

namespace ctq::training {

/// A matrix in memory: element (i, j) is data[i * row + j * column].
template <class Real>
struct matrix_ref {
  Real* data{};
  std::size_t row{};
  std::size_t column = 1;
};

namespace multiplying {

inline constexpr std::size_t tile_rows = 4;
inline constexpr std::size_t tile_registers = 3;  // in each row of the tile
inline constexpr std::size_t depth = 192;         // of a block: its part of b is in the cache

/// Calls f(constant) for the constant equal to n, 1 to Max.
template <std::size_t Max, class F>
void with_constant(std::size_t n, F f) {
  if constexpr (Max > 0) {
    if (n == Max) return f(std::integral_constant<std::size_t, Max>{});
    with_constant<Max - 1>(n, f);
  }
}

/// c[i, j] += Σ_p a[i, p] * b[p, j], for Rows rows and Registers registers of columns.
template <class Isa, std::size_t Rows, std::size_t Registers, class Real>
void add_tile(std::size_t k, const matrix_ref<const Real>& a, const Real* b, std::size_t b_row,
              Real* c, std::size_t c_row) {
  using lane = lanes<Isa, Real>;
  lane sum[Rows][Registers];
  for (std::size_t i = 0; i < Rows; ++i)
    for (std::size_t j = 0; j < Registers; ++j)
      sum[i][j] = lane::load(c + i * c_row + j * lane::count);
  for (std::size_t p = 0; p < k; ++p) {
    lane right[Registers];
    for (std::size_t j = 0; j < Registers; ++j)
      right[j] = lane::load(b + p * b_row + j * lane::count);
    for (std::size_t i = 0; i < Rows; ++i) {
      const lane left = lane::all(a.data[i * a.row + p * a.column]);
      for (std::size_t j = 0; j < Registers; ++j) sum[i][j].add_product(left, right[j]);
    }
  }
  for (std::size_t i = 0; i < Rows; ++i)
    for (std::size_t j = 0; j < Registers; ++j) sum[i][j].store(c + i * c_row + j * lane::count);
}

/// The same for a number of columns that does not fill a register.
template <class Real>
void add_columns(std::size_t m, std::size_t n, std::size_t k, const matrix_ref<const Real>& a,
                 const Real* b, std::size_t b_row, Real* c, std::size_t c_row) {
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t p = 0; p < k; ++p) {
      const Real left = a.data[i * a.row + p * a.column];
      for (std::size_t j = 0; j < n; ++j) c[i * c_row + j] += left * b[p * b_row + j];
    }
}

/// c[i, j] += Σ_p a[i, p] * b[j, p]: Rows rows of a, Columns of b.
template <class Isa, std::size_t Rows, std::size_t Columns, class Real>
void add_dots(std::size_t k, const Real* a, std::size_t a_row, const Real* b, std::size_t b_row,
              Real* c, std::size_t c_row) {
  using lane = lanes<Isa, Real>;
  lane sum[Rows][Columns];
  std::size_t p = 0;
  for (; p + lane::count <= k; p += lane::count) {
    lane left[Rows];
    for (std::size_t i = 0; i < Rows; ++i) left[i] = lane::load(a + i * a_row + p);
    for (std::size_t j = 0; j < Columns; ++j) {
      const lane right = lane::load(b + j * b_row + p);
      for (std::size_t i = 0; i < Rows; ++i) sum[i][j].add_product(left[i], right);
    }
  }
  for (std::size_t i = 0; i < Rows; ++i)
    for (std::size_t j = 0; j < Columns; ++j) {
      Real total = sum[i][j].sum();
      for (std::size_t q = p; q < k; ++q) total += a[i * a_row + q] * b[j * b_row + q];
      c[i * c_row + j] += total;
    }
}

}  // namespace multiplying

/// c[i, j] += Σ_p a[i, p] * b[p, j]
///
/// Shapes    a [m, k], any strides · b [k, n] and c [m, n], columns contiguous
/// Requires  c overlaps with neither a nor b
template <class Isa, class Real>
void add_product(std::size_t m, std::size_t n, std::size_t k,
                 const std::type_identity_t<matrix_ref<const Real>>& a,
                 const std::type_identity_t<matrix_ref<const Real>>& b, const matrix_ref<Real>& c) {
  using namespace multiplying;
  constexpr std::size_t lane = lanes<Isa, Real>::count;
  const std::size_t whole = n / lane * lane;
  for (std::size_t p = 0; p < k; p += depth) {
    const std::size_t deep = std::min(depth, k - p);
    const matrix_ref<const Real> left{a.data + p * a.column, a.row, a.column};
    const Real* const right = b.data + p * b.row;
    for (std::size_t j = 0; j < whole; j += tile_registers * lane)
      with_constant<tile_registers>(std::min(tile_registers, (whole - j) / lane), [&](auto wide) {
        for (std::size_t i = 0; i < m; i += tile_rows)
          with_constant<tile_rows>(std::min(tile_rows, m - i), [&](auto high) {
            add_tile<Isa, high, wide, Real>(deep, {left.data + i * a.row, a.row, a.column},
                                            right + j, b.row, c.data + i * c.row + j, c.row);
          });
      });
    if (whole < n)
      add_columns<Real>(m, n - whole, deep, left, right + whole, b.row, c.data + whole, c.row);
  }
}

/// c[i, j] += Σ_p a[i, p] * b[j, p]: the product with b transposed.
///
/// Shapes    a [m, k] and b [n, k], columns contiguous · c [m, n], columns contiguous
/// Requires  c overlaps with neither a nor b
template <class Isa, class Real>
void add_product_of_rows(std::size_t m, std::size_t n, std::size_t k,
                         const std::type_identity_t<matrix_ref<const Real>>& a,
                         const std::type_identity_t<matrix_ref<const Real>>& b,
                         const matrix_ref<Real>& c) {
  using namespace multiplying;
  constexpr std::size_t block = 4 * depth;
  for (std::size_t p = 0; p < k; p += block) {
    const std::size_t deep = std::min(block, k - p);
    for (std::size_t i = 0; i < m; i += tile_rows)
      with_constant<tile_rows>(std::min(tile_rows, m - i), [&](auto high) {
        for (std::size_t j = 0; j < n; j += tile_registers)
          with_constant<tile_registers>(std::min(tile_registers, n - j), [&](auto wide) {
            add_dots<Isa, high, wide, Real>(deep, a.data + i * a.row + p, a.row,
                                            b.data + j * b.row + p, b.row, c.data + i * c.row + j,
                                            c.row);
          });
      });
  }
}

/// A row length in elements, of at least n and whole registers, that does not put the elements of a
/// column into the same few sets of a cache.
template <class Real>
[[nodiscard]] constexpr std::size_t spread_row(std::size_t n) {
  const std::size_t line = 64 / sizeof(Real);
  const std::size_t lines = (n + line - 1) / line;
  return (lines % 2 == 0 ? lines + 1 : lines) * line;
}

}  // namespace ctq::training
