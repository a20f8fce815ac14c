// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstring>

#include "ctq/core/isa.hpp"
#include "ctq/core/no_contract.hpp"
#include "ctq/core/unroll.hpp"
#include "ctq/ops/rows/registers.hpp"

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

/// Four elements, in a register that all instruction sets have.
using four = registers_of_16_bytes::floats;

/// The upper half of the lanes is added to the lower one.
template <class Vector>
[[nodiscard, gnu::always_inline]] inline auto halved(const Vector& lanes) noexcept {
  const Vector x = lanes;
  if constexpr (sizeof x == 64) {
    return __builtin_shufflevector(x, x, 0, 1, 2, 3, 4, 5, 6, 7) +
           __builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15);
  } else {
    return __builtin_shufflevector(x, x, 0, 1, 2, 3) + __builtin_shufflevector(x, x, 4, 5, 6, 7);
  }
}

template <class Vector>
[[gnu::always_inline]] inline Vector load(const float* x) noexcept {
  Vector v;
  std::memcpy(&v, x, sizeof v);
  return v;
}

/// 16 elements of a vector that are next to each other, or 16 partial sums.
template <class Isa>
struct row_part {
  using lanes = typename registers_of<Isa>::floats;
  static constexpr int width = static_cast<int>(sizeof(lanes) / sizeof(float));
  static constexpr int registers = 16 / width;

  lanes part[registers];

  [[gnu::always_inline]] static row_part at(const float* x) noexcept {
    row_part v;
    // Through no_contract, or g++ would load it anew for each product (AVX2: 18 instead of 32 G/s).
    unroll<registers>([&](auto r) __attribute__((always_inline)) {
      v.part[r] = no_contract(load<lanes>(x + r * width));
    });
    return v;
  }
  [[gnu::always_inline]] void add_products(const row_part& a, const row_part& b) noexcept {
    unroll<registers>([&](auto r) __attribute__((always_inline)) {
      part[r] += no_contract<lanes>(a.part[r] * b.part[r]);
    });
  }
  [[nodiscard, gnu::always_inline]] four folded() const noexcept {
    if constexpr (registers == 1) {
      return halved(halved(part[0]));
    } else if constexpr (registers == 2) {
      return halved(part[0] + part[1]);
    } else {
      return (part[0] + part[2]) + (part[1] + part[3]);
    }
  }
};

/// The vectors of a block, as many as registers hold the sums of.
template <class Isa>
inline constexpr std::size_t rows = isa::includes<Isa, isa::avx512> ? 4 : 2;
template <class Isa>
inline constexpr std::size_t columns =
    isa::includes<Isa, isa::avx512>                                  ? 4
    : isa::includes<Isa, isa::avx2> || isa::includes<Isa, isa::neon> ? 2
                                                                     : 1;

/// Element (i, k) of the block is the dot product of a[row + i] and b[column + k]. Lane l sums the
/// elements l, l + 16, …; of the four lanes that are left when these are folded, lane l adds the
/// elements l, l + 4, … of the rest; then the lanes are added, then the last elements.
template <class Isa, std::size_t Rows, std::size_t Columns>
[[gnu::always_inline]] inline void block(const float_vectors& a, const float_vectors& b,
                                         std::size_t row, std::size_t column, std::size_t depth,
                                         const float_matrix& out) noexcept {
  using sums = row_part<Isa>;
  sums sum[Rows][Columns]{};
  std::size_t d = 0;
  for (; d + 16 <= depth; d += 16) {
    sums from_b[Columns];
    unroll<Columns>([&](auto k) __attribute__((always_inline)) {
      from_b[k] = sums::at(b[column + k] + d);
    });
    unroll<Rows>([&](auto i) __attribute__((always_inline)) {
      const sums from_a = sums::at(a[row + i] + d);
      unroll<Columns>([&](auto k) __attribute__((always_inline)) {
        sum[i][k].add_products(from_a, from_b[k]);
      });
    });
  }
  unroll<Rows, Columns>([&](auto i, auto k) __attribute__((always_inline)) {
    const float* const x = a[row + i];
    const float* const y = b[column + k];
    four s = sum[i][k].folded();
    std::size_t rest = d;
    for (; rest + 4 <= depth; rest += 4)
      s += no_contract<four>(load<four>(x + rest) * load<four>(y + rest));
    float total = (s[0] + s[1]) + (s[2] + s[3]);
    for (; rest < depth; ++rest) total += no_contract(x[rest] * y[rest]);
    out(row + i, column + k) = total;
  });
}

/// The products of `Columns` vectors of b, which stay in the first-level cache, with all vectors of
/// a.
template <class Isa, std::size_t Columns>
[[gnu::noinline]] void columns_of_blocks(const float_vectors& a, const float_vectors& b,
                                         std::size_t column, std::size_t depth,
                                         const float_matrix& out) noexcept {
  std::size_t row = 0;
  for (; row + rows<Isa> <= a.count; row += rows<Isa>)
    block<Isa, rows<Isa>, Columns>(a, b, row, column, depth, out);
  for (; row < a.count; ++row) block<Isa, 1, Columns>(a, b, row, column, depth, out);
}

}  // namespace dot_product_blocks

/// out(i, k) = a[i] · b[k], of `depth` elements each.
template <class Isa>
void dot_products(const float_vectors& a, const float_vectors& b, std::size_t depth,
                  const float_matrix& out) noexcept {
  namespace blocks = dot_product_blocks;
  std::size_t column = 0;
  for (; column + blocks::columns<Isa> <= b.count; column += blocks::columns<Isa>)
    blocks::columns_of_blocks<Isa, blocks::columns<Isa>>(a, b, column, depth, out);
  for (; column < b.count; ++column) blocks::columns_of_blocks<Isa, 1>(a, b, column, depth, out);
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
