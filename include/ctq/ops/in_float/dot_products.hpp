// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstring>

#include "ctq/core/no_contract.hpp"

// Products of matrices in float, for the functions of ops. The order of additions depends only on
// the depth, so that all compilers and instruction sets compute the same bits.

namespace ctq::descriptors::functions {

/// Vectors in memory, the first elements of which are `stride` apart.
struct float_vectors {
  const float* first;
  std::size_t count, stride;

  [[nodiscard]] const float* operator[](std::size_t i) const { return first + i * stride; }
};

/// A matrix that is written.
struct float_matrix {
  float* first;
  std::size_t row_stride, column_stride;

  [[nodiscard]] float& operator()(std::size_t row, std::size_t column) const {
    return first[row * row_stride + column * column_stride];
  }
};

namespace dot_product_blocks {

/// Four partial sums: a vector that all instruction sets have.
using lanes = float __attribute__((vector_size(16)));
inline constexpr std::size_t lane_count = 4;

[[gnu::always_inline]] inline lanes lanes_at(const float* x) noexcept {
  lanes v;
  std::memcpy(&v, x, sizeof v);
  return v;
}

/// Element (i, k) of the block is the dot product of a[row + i] and b[column + k]: lane l sums the
/// elements l, l + 4, …, then the lanes are added, then the remaining elements.
template <std::size_t Rows, std::size_t Columns>
[[gnu::always_inline]] inline void block(const float_vectors& a, const float_vectors& b,
                                         std::size_t row, std::size_t column, std::size_t depth,
                                         const float_matrix& out) noexcept {
  lanes sum[Rows][Columns]{};
  std::size_t d = 0;
  for (; d + lane_count <= depth; d += lane_count) {
    lanes from_b[Columns];
    for (std::size_t k = 0; k < Columns; ++k) from_b[k] = lanes_at(b[column + k] + d);
    for (std::size_t i = 0; i < Rows; ++i) {
      const lanes from_a = lanes_at(a[row + i] + d);
      for (std::size_t k = 0; k < Columns; ++k) sum[i][k] += no_contract<lanes>(from_a * from_b[k]);
    }
  }
  for (std::size_t i = 0; i < Rows; ++i)
    for (std::size_t k = 0; k < Columns; ++k) {
      const lanes& s = sum[i][k];
      float total = (s[0] + s[1]) + (s[2] + s[3]);
      for (std::size_t rest = d; rest < depth; ++rest)
        total += no_contract(a[row + i][rest] * b[column + k][rest]);
      out(row + i, column + k) = total;
    }
}

template <std::size_t Rows>
void rows_of_blocks(const float_vectors& a, const float_vectors& b, std::size_t row,
                    std::size_t depth, const float_matrix& out) noexcept {
  std::size_t column = 0;
  for (; column + 2 <= b.count; column += 2) block<Rows, 2>(a, b, row, column, depth, out);
  if (column < b.count) block<Rows, 1>(a, b, row, column, depth, out);
}

}  // namespace dot_product_blocks

/// out(i, k) = a[i] · b[k], of `depth` elements each.
[[gnu::noinline]] inline void dot_products(const float_vectors& a, const float_vectors& b,
                                           std::size_t depth, const float_matrix& out) noexcept {
  namespace blocks = dot_product_blocks;
  std::size_t row = 0;
  for (; row + 4 <= a.count; row += 4) blocks::rows_of_blocks<4>(a, b, row, depth, out);
  for (; row < a.count; ++row) blocks::rows_of_blocks<1>(a, b, row, depth, out);
}

/// Adds terms[k] to column k of rows that are contiguous; null: there are none.
inline void add_to_columns(float* x, std::size_t rows, std::size_t columns,
                           const float* terms) noexcept {
  if (terms == nullptr) return;
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t k = 0; k < columns; ++k) x[i * columns + k] += terms[k];
}
/// Adds terms[i] to row i.
inline void add_to_rows(float* x, std::size_t rows, std::size_t columns,
                        const float* terms) noexcept {
  if (terms == nullptr) return;
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t k = 0; k < columns; ++k) x[i * columns + k] += terms[i];
}

/// Copies vectors of `depth` elements to the rows of a matrix.
inline void copy_vectors(const float_vectors& from, std::size_t depth,
                         const float_matrix& to) noexcept {
  for (std::size_t i = 0; i < from.count; ++i)
    for (std::size_t k = 0; k < depth; ++k) to(i, k) = from[i][k];
}

}  // namespace ctq::descriptors::functions
