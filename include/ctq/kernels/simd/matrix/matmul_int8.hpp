// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "ctq/kernels/reference/matmul.hpp"
#include "ctq/kernels/simd/arch/all_dots.hpp"
#include "ctq/kernels/simd/arch/tile_amx.hpp"
#include "ctq/kernels/simd/convolution/pad.hpp"
#include "ctq/kernels/simd/matrix/product_panels.hpp"
#include "ctq/kernels/simd/matrix/product_tiles.hpp"

// Products of matrices of quantized activations, by dot products of integers. Neither matrix is
// packed beforehand, and both have a zero point:
//
//   Σ (a - za) * (b - zb) = Σ a' * b' - zb' * Σ a' - za' * Σ b' + k * za' * zb'
//
// a' and b', the operands of the dot product, are a and b plus constants; so are za' and zb'. The
// second term belongs to a row of a, the others to a column of b. All is computed modulo 2^32.

namespace ctq::kernels::simd {

template <class Dot>
struct int8_products : product_panels<Dot> {
  using dot = Dot;
  using panels = product_panels<Dot>;
  using panels::columns;
  using panels::k_group;
  using panels::vectors;
  using typename panels::element;
  using typename panels::vec;
  using typename panels::weight;

  static constexpr int width = dot::lanes * k_group;  // of a register

  /// What the workspace holds, in bytes; the copy of a is first. Each part is aligned to 64.
  struct layout {
    std::size_t row_terms, panel, bytes;

    [[nodiscard]] static constexpr layout of(const matmul_shape& s) {
      layout l{.row_terms = panels::row_bytes(s), .panel = 0, .bytes = 0};
      l.panel = l.row_terms + packing::vector_bytes(s.m);
      // Tiles load whole groups of steps.
      const auto steps = round_up(static_cast<std::size_t>(panels::steps(s)), tile_format::rows);
      l.bytes = l.panel + packing::padded(steps * panels::step_bytes);
      return l;
    }
  };

  /// Added to an element of b.
  template <class Q>
  static constexpr int offset = sizeof(weight) == 1 && std::is_unsigned_v<Q> ? -128 : 0;

  /// A register of adjacent elements of b.
  struct operand {
    template <class Q>
    [[gnu::always_inline]] vec operator()(const Q* b) const {
      if constexpr (offset<Q> != 0) {
        return dot::flip_signs(dot::load(b));
      } else if constexpr (sizeof(weight) == 1) {
        return dot::load(b);
      } else if constexpr (requires { dot::elements(b); }) {
        return dot::elements(b);
      } else {
        weight wide[width];
        for (int i = 0; i < width; ++i) wide[i] = b[i];
        return dot::load(wide);
      }
    }
  };

  /// The rows of a as a', `stride` elements apart.
  struct rows_of_a {
    const element* first;
    std::ptrdiff_t stride;
  };

  /// a itself if it is a', else a copy, with zeros after k.
  ///   group  elements of a row that are read together
  template <class Q>
  [[nodiscard]] static rows_of_a rows_as_elements(const matmul_shape& s, const Q* a, int group,
                                                  element* to) {
    if constexpr (std::is_same_v<Q, element>) {
      if (s.k % group == 0) return {a, s.k};
    }
    const int stride = panels::stride(s);
    for (int y = 0; y < s.m; ++y, a += s.k) {
      element* const row = to + std::ptrdiff_t{y} * stride;
      convert<dot>(a, s.k, row);
      std::fill(row + s.k, row + stride, element{0});
    }
    return {to, stride};
  }

  /// The sums of the rows of a', times `factor`. `terms` has space for a multiple of four.
  static void sum_rows(const matmul_shape& s, rows_of_a a, std::uint32_t factor,
                       std::uint32_t* terms) {
    alignas(64) weight all_one[width];
    std::fill_n(all_one, width, weight{1});
    const vec ones = dot::load(all_one);
    alignas(64) constexpr std::uint32_t zeros[dot::lanes]{};
    const vec zero = dot::load(zeros);
    for (int y = 0; y < s.m; y += 4) {
      // Rows after the last one are summed as the last one.
      const element* row[4];
      vec acc[4];
      unroll<4>([&](auto i) __attribute__((always_inline)) {
        row[i] = a.first + std::min(y + i, s.m - 1) * a.stride;
        acc[i] = zero;
      });
      int k = 0;
      for (; k + width <= s.k; k += width)
        unroll<4>([&](auto i) __attribute__((always_inline)) {
          acc[i] = dot::dot(acc[i], dot::load(row[i] + k), ones);
        });
      if (k < s.k)
        unroll<4>([&](auto i) __attribute__((always_inline)) {
          alignas(64) element rest[width]{};
          std::memcpy(rest, row[i] + k, static_cast<std::size_t>(s.k - k) * sizeof(element));
          acc[i] = dot::dot(acc[i], dot::load(rest), ones);
        });
      std::uint32_t total[4];
      panels::sum_lanes(acc, total);
      for (int i = 0; i < 4; ++i) terms[y + i] = total[i] * factor;
    }
  }

  /// The sums of the columns of a panel times `factor`, plus `added`.
  static void sum_columns(const matmul_shape& s, const std::byte* panel, std::uint32_t factor,
                          std::uint32_t added, std::uint32_t* terms) {
    element ones[k_group], rest[k_group]{};
    std::fill_n(ones, k_group, element{1});
    std::fill_n(rest, s.k % k_group, element{1});
    std::fill_n(terms, columns, 0U);
    vec acc[1][vectors];
    unroll<vectors>([&](auto v) __attribute__((always_inline)) { acc[0][v] = dot::load(terms); });
    for (int step = 0; step < s.k / k_group; ++step, panel += panels::step_bytes)
      panels::add({ones}, 1, panel, acc);
    if (s.k % k_group > 0) panels::add({rest}, 1, panel, acc);
    std::memcpy(terms, acc, sizeof acc);
    for (int j = 0; j < columns; ++j) terms[j] = terms[j] * factor + added;
  }

  /// x + y in each lane, modulo 2^32.
  [[nodiscard, gnu::always_inline]] static vec plus(vec x, vec y) {
    typedef std::uint32_t words [[gnu::vector_size(sizeof(vec))]];
    return std::bit_cast<vec>(std::bit_cast<words>(x) + std::bit_cast<words>(y));
  }
};

/// The dot product of depthwise kernels, whose registers of b are interleaved as they are loaded.
template <class Isa>
using wide_int8_products = int8_products<wide_dot_of<depthwise_dot<Isa>>>;
/// The same for few columns.
template <class Isa>
using narrow_int8_products = int8_products<depthwise_dot<Isa>>;

/// Bytes of the workspace.
template <class Isa>
[[nodiscard]] constexpr std::size_t matmul_int8_workspace(const matmul_shape& s) {
  return wide_int8_products<Isa>::layout::of(s).bytes;
}

/// What all panels of columns have in common: the rows they are multiplied with, the outputs.
template <class Products>
struct int8_product_context {
  typename Products::rows_of_a rows;
  const std::uint32_t* row_terms;
  std::uint32_t a_zero, b_zero;
  float multiplier;
  output_range range;
};

/// Packs a panel of columns and computes their terms.
template <class Products, class Context, quantized Q>
[[gnu::always_inline]] inline void pack_panel(
    const matmul_shape& s, const Context& x, const Q* b, int count, std::byte* panel,
    std::uint32_t (&column_terms)[Products::columns]) noexcept {
  if (s.transposed != 0) {
    Products::pack_columns(s, b, count, panel, typename Products::operand{});
  } else {
    Products::pack_rows(s, b, count, panel, typename Products::operand{});
  }
  Products::sum_columns(s, panel, 0U - x.a_zero,
                        static_cast<std::uint32_t>(s.k) * x.a_zero * x.b_zero, column_terms);
}

/// `count` columns of the product: b and out begin at the first.
template <class Products, class Context, quantized Q>
[[gnu::noinline]] void multiply_panel(const matmul_shape& s, const Context& x, const Q* b,
                                      int count, std::byte* panel, Q* out) noexcept {
  using dot = typename Products::dot;
  constexpr int vectors = Products::vectors, columns = Products::columns;
  alignas(64) std::uint32_t column_terms[columns];
  pack_panel<Products>(s, x, b, count, panel, column_terms);
  float multipliers[columns];
  std::fill_n(multipliers, columns, x.multiplier);
  const int steps = Products::steps(s);
  const auto multiply_rows = [&](auto count_of_rows, int y) __attribute__((always_inline)) {
    constexpr int rows = count_of_rows;
    // Rows after the last one are computed as the last one, and not stored.
    const typename Products::element* row[rows];
    typename dot::vec acc[rows][vectors];
    unroll<rows>([&](auto r) __attribute__((always_inline)) {
      const int at = std::min(y + r, s.m - 1);
      row[r] = x.rows.first + at * x.rows.stride;
      const auto row_term = dot::broadcast(x.row_terms + at);
      unroll<vectors>([&](auto v) __attribute__((always_inline)) {
        acc[r][v] = Products::plus(dot::load(column_terms + v * dot::lanes), row_term);
      });
    });
    Products::add(row, steps, panel, acc);
    const auto bounds = dot::store_constants(x.range);
    unroll<rows>([&](auto r) __attribute__((always_inline)) {
      if (y + r < s.m)
        dot::store(acc[r], multipliers, bounds, out + std::ptrdiff_t{y + r} * s.n, count);
    });
  };
  constexpr int few = Products::rows > 2 ? 2 : 0;  // rows of a last block, if no more are left
  int y = 0;
  for (; y < s.m - few; y += Products::rows)
    multiply_rows(std::integral_constant<int, Products::rows>{}, y);
  if constexpr (few > 0) {
    if (y < s.m) multiply_rows(std::integral_constant<int, few>{}, y);
  }
}

/// The product panel by panel: multiply(context, b, count, panel, out) computes one.
///   group  elements of a row of a that it reads together
template <class Isa, quantized Q, class Multiply>
[[gnu::always_inline]] inline void matmul_by_panels(const matmul_shape& s, const Q* a,
                                                    const qparams& a_q, const Q* b,
                                                    const qparams& b_q, const qparams& out_q,
                                                    int group, float* workspace, Q* out,
                                                    Multiply multiply) noexcept {
  using wide = wide_int8_products<Isa>;
  const auto parts = wide::layout::of(s);
  auto* const bytes = reinterpret_cast<std::byte*>(workspace);
  auto* const row_terms = reinterpret_cast<std::uint32_t*>(bytes + parts.row_terms);
  auto* const copied = reinterpret_cast<typename wide::element*>(bytes);
  int8_product_context<wide> x{
      .rows = {},
      .row_terms = row_terms,
      .a_zero = static_cast<std::uint32_t>(a_q.zero_point + wide::dot::template offset<Q>),
      .b_zero = static_cast<std::uint32_t>(b_q.zero_point + wide::template offset<Q>),
      .multiplier = output_multiplier(a_q.scale, b_q.scale, out_q.scale),
      .range = output_range_of(out_q, false)};
  for (std::ptrdiff_t i = 0; i < s.batch; ++i) {
    const Q* const right = b + (s.matrices[1] == 1 ? 0 : i * s.k * s.n);
    Q* const to = out + i * s.m * s.n;
    if (i == 0 || s.matrices[0] != 1) {
      x.rows = wide::rows_as_elements(s, a + i * s.m * s.k, group, copied);
      wide::sum_rows(s, x.rows, 0U - x.b_zero, row_terms);
    }
    for (int first = 0; first < s.n; first += wide::columns) {
      const Q* const from = right + (s.transposed != 0 ? std::ptrdiff_t{first} * s.k : first);
      multiply(x, from, std::min(wide::columns, s.n - first), bytes + parts.panel, to + first);
    }
  }
}

/// As reference::matmul, bit for bit. Requires  no operands overlap · workspace aligned to 64
template <class Isa, quantized Q>
[[gnu::noinline]] void matmul(const matmul_shape& s, const Q* a, const qparams& a_q, const Q* b,
                              const qparams& b_q, const qparams& out_q, float* workspace,
                              Q* out) noexcept {
  using wide = wide_int8_products<Isa>;
  using narrow = narrow_int8_products<Isa>;
  const float multiplier = output_multiplier(a_q.scale, b_q.scale, out_q.scale);
  // Outputs are converted to integers before they are clamped, and have to fit.
  if (!(static_cast<float>(s.k) * 65025.0F * multiplier < 2147483392.0F))
    return reference::matmul(s, a, a_q, b, b_q, out_q, workspace, out);
  if constexpr (has_tiles<Isa>) {
    if (by_tiles(s)) {
      int8_tile<Isa> tiles(product_tiles());
      return matmul_by_panels<Isa>(
          s, a, a_q, b, b_q, out_q, tile_format::row_bytes, workspace, out,
          [&](const auto& x, const Q* from, int count, std::byte* panel, Q* to) {
            alignas(64) std::uint32_t terms[wide::columns];
            pack_panel<wide>(s, x, from, count, panel, terms);
            multiply_panel_by_tiles<wide>(tiles, s, x, terms, count, panel, to);
          });
    }
  }
  matmul_by_panels<Isa>(s, a, a_q, b, b_q, out_q, wide::k_group, workspace, out,
                        [&](const auto& x, const Q* from, int count, std::byte* panel, Q* to) {
                          if (narrow::columns < wide::columns && count <= narrow::columns) {
                            multiply_panel<narrow>(s, x, from, count, panel, to);
                          } else {
                            multiply_panel<wide>(s, x, from, count, panel, to);
                          }
                        });
}

}  // namespace ctq::kernels::simd
