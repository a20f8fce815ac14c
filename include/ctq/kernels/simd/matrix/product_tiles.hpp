// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "ctq/core/shapes/matrix_shapes.hpp"
#include "ctq/core/unroll.hpp"
#include "ctq/kernels/quantizer.hpp"
#include "ctq/kernels/simd/geometry.hpp"
#include "ctq/kernels/simd/matrix/tile_arch.hpp"

// Products of quantized activations by tiles, panel by panel.

namespace ctq::kernels::simd {

/// Whether tiles multiply faster than registers.
[[nodiscard]] constexpr bool by_tiles(const matmul_shape& s) {
  return s.m >= tile_format::rows && std::int64_t{s.m} * s.n * s.k >= 1 << 17;
}

/// The tiles of a product: 0 to 3 accumulators, 4 rows of a, the others the panel.
[[nodiscard]] constexpr tile_sizes product_tiles() {
  tile_sizes sizes{};
  for (int t = 0; t < 8; ++t) {
    sizes.rows[t] = tile_format::rows;
    sizes.row_bytes[t] = tile_format::row_bytes;
  }
  return sizes;
}

/// multiply_panel by tiles: blocks of 16 rows and four tiles of columns. A block is requantized
/// while the tiles multiply the next one. The last one begins where it ends with a.
///   x             the rows of a, padded with zeros to whole tiles, and their terms
///   column_terms  of the columns of the panel, `count` of which are stored
template <class Products, class Tile, class Context, quantized Q>
[[gnu::noinline]] void multiply_panel_by_tiles(Tile& tiles, const matmul_shape& s, const Context& x,
                                               const std::uint32_t* column_terms, int count,
                                               const std::byte* panel, Q* out) noexcept {
  using dot = typename Products::dot;
  constexpr int vectors = Products::vectors, columns = Products::columns;
  constexpr int rows = tile_format::rows, width = tile_format::row_bytes;
  static_assert(vectors == 4 && dot::lanes == tile_format::lanes && Products::k_group == 4);
  float multipliers[columns];
  std::fill_n(multipliers, columns, x.multiplier);
  alignas(64) std::uint32_t sums[2][rows][columns];
  const auto bounds = dot::store_constants(x.range);
  const auto row_of = [&](int block) { return std::min(block * rows, s.m - rows); };
  const auto requantize = [&](int block) __attribute__((always_inline)) {
    const int y = row_of(block);
    for (int r = 0; r < rows; ++r) {
      const auto row_term = dot::broadcast(x.row_terms + y + r);
      typename dot::vec acc[vectors];
      unroll<vectors>([&](auto v) __attribute__((always_inline)) {
        acc[v] = Products::plus(dot::load(sums[block % 2][r] + v * dot::lanes), row_term);
      });
      dot::store(acc, multipliers, bounds, out + std::ptrdiff_t{y + r} * s.n, count);
    }
  };
  const int blocks = ceil_div(s.m, rows);
  constexpr auto step = static_cast<std::ptrdiff_t>(Products::step_bytes);
  for (int block = 0; block < blocks; ++block) {
    const auto* const a = x.rows.first + row_of(block) * x.rows.stride;
    unroll<vectors>([&](auto v) __attribute__((always_inline)) {
      tiles.template load<v>(column_terms + v * dot::lanes, 0);
    });
    const std::byte* from = panel;
    for (int k = 0; k < s.k; k += width, from += rows * step) {
      tiles.template load<4>(a + k, x.rows.stride);
      unroll<vectors>([&](auto v) __attribute__((always_inline)) {
        constexpr int operand = 5 + v % 3;
        tiles.template load<operand>(from + v * width, step);
        tiles.template dot<v, 4, operand, std::uint8_t>();
      });
    }
    unroll<vectors>([&](auto v) __attribute__((always_inline)) {
      tiles.template store<v>(sums[block % 2][0] + v * dot::lanes, sizeof sums[0][0]);
    });
    if (block > 0) requantize(block - 1);
  }
  requantize(blocks - 1);
}

}  // namespace ctq::kernels::simd
