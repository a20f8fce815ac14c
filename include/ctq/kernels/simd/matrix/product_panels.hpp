// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "ctq/core/packing.hpp"
#include "ctq/core/shapes/matrix_shapes.hpp"
#include "ctq/core/unroll.hpp"
#include "ctq/kernels/simd/arch/register_dot.hpp"
#include "ctq/kernels/simd/dot.hpp"
#include "ctq/kernels/simd/geometry.hpp"
#include "ctq/kernels/simd/matrix/word_groups.hpp"

// What the two matmul kernels have in common: copies of the rows of a, and panels of columns of b,
// both as a dot product takes them, and the products of a block of rows and a panel.

namespace ctq::kernels::simd {

/// Dot: element and weight are what a and b become, k_group of them in each lane of a register.
template <class Dot>
struct product_panels {
  using element = typename Dot::element;
  using weight = typename Dot::weight;
  using vec = typename Dot::vec;

  static constexpr int k_group = Dot::k_group;
  static constexpr int vectors = k_group == 1 ? 4 : k_group;  // registers of a panel per step
  static constexpr int columns = Dot::lanes * vectors;
  // Accumulators, a register of a and those of b fit in the registers.
  static constexpr int rows = vectors == 2 ? 5 : vector_registers == 32 ? 6 : 2;
  static constexpr std::size_t step_bytes = vectors * sizeof(vec);

  /// Elements of a row of a: whole registers.
  [[nodiscard]] static constexpr int stride(const matmul_shape& s) {
    return ceil_div(s.k, Dot::lanes * k_group) * (Dot::lanes * k_group);
  }
  [[nodiscard]] static constexpr int steps(const matmul_shape& s) { return ceil_div(s.k, k_group); }
  [[nodiscard]] static constexpr std::size_t row_bytes(const matmul_shape& s) {
    const auto elements = static_cast<std::size_t>(s.m) * static_cast<std::size_t>(stride(s));
    return packing::padded(elements * sizeof(element));
  }
  [[nodiscard]] static constexpr std::size_t panel_bytes(const matmul_shape& s) {
    return packing::padded(static_cast<std::size_t>(steps(s)) * step_bytes);
  }

  /// A panel of rows [k, n] of b; `count` of its columns exist. operand(p) loads elements of a row
  /// as a register. Columns from `count` on are undefined and not stored; rows from k on are
  /// undefined and multiplied by zeros of a.
  template <class T, class Operand>
  static void pack_rows(const matmul_shape& s, const T* b, int count, std::byte* to,
                        Operand operand) {
    int k = 0;
    if (count == columns)
      for (; k + k_group <= s.k; k += k_group, to += step_bytes, b += std::ptrdiff_t{k_group} * s.n)
        pack_step(
            [&](int i) __attribute__((always_inline)) { return b + std::ptrdiff_t{i} * s.n; }, to,
            operand);
    T kept[columns]{};
    for (; k < s.k; k += k_group, to += step_bytes, b += std::ptrdiff_t{k_group} * s.n)
      pack_step(
          [&](int i) __attribute__((always_inline))->const T* {
            if (k + i < s.k)
              std::memcpy(kept, b + std::ptrdiff_t{i} * s.n,
                          static_cast<std::size_t>(count) * sizeof(T));
            return kept;
          },
          to, operand);
  }

  /// The same of columns [n, k]; operand(p) loads elements of a column.
  template <class T, class Operand>
  static void pack_columns(const matmul_shape& s, const T* b, int count, std::byte* to,
                           Operand operand) {
    if constexpr (k_group * sizeof(weight) == 4) {
      constexpr int lanes = Dot::lanes, width = lanes * k_group;
      for (int v = 0; v < vectors; ++v, to += sizeof(vec)) {
        // A column after the last one is packed as the last one.
        const T* column[lanes];
        for (int i = 0; i < lanes; ++i)
          column[i] = b + std::ptrdiff_t{std::min(Dot::column(vectors, v, i), count - 1)} * s.k;
        std::byte* at = to;
        const auto put = [&](const auto& elements, int steps) __attribute__((always_inline)) {
          words_of<lanes> of[lanes];
          unroll<lanes>([&](auto i) __attribute__((always_inline)) {
            of[i] = std::bit_cast<words_of<lanes>>(operand(elements(i)));
          });
          transpose_words(of);
          unroll<lanes>([&](auto i) __attribute__((always_inline)) {
            if (i < steps) std::memcpy(at + i * step_bytes, &of[i], sizeof of[i]);
          });
          at += lanes * step_bytes;
        };
        int k = 0;
        for (; k + width <= s.k; k += width)
          put(
              [&](int i) __attribute__((always_inline)) { return column[i] + k; }, lanes);
        if (k >= s.k) continue;
        T rest[lanes][width]{};
        for (int i = 0; i < lanes; ++i)
          std::memcpy(rest[i], column[i] + k, static_cast<std::size_t>(s.k - k) * sizeof(T));
        put(
            [&](int i) __attribute__((always_inline)) { return rest[i]; },
            ceil_div(s.k - k, k_group));
      }
    } else {
      static_assert(k_group == 1);
      for (int j = 0; j < count; ++j)
        for (int k = 0; k < s.k; ++k) {
          const auto x = static_cast<weight>(b[std::ptrdiff_t{j} * s.k + k]);
          std::memcpy(to + static_cast<std::size_t>(k) * step_bytes +
                          static_cast<std::size_t>(j) * sizeof x,
                      &x, sizeof x);
        }
    }
  }

  /// acc[r][v] += Σ of row r of a, and of register v of each step of the panel.
  template <int Rows>
  [[gnu::always_inline]] static void add(const element* const (&a)[Rows], int steps,
                                         const std::byte* panel, vec (&acc)[Rows][vectors]) {
    for (std::ptrdiff_t k = 0; k < std::ptrdiff_t{steps} * k_group; k += k_group) {
      vec b[vectors];
      unroll<vectors>([&](auto v) __attribute__((always_inline)) {
        b[v] = Dot::load(panel + v * sizeof(vec));
      });
      unroll<Rows>([&](auto r) __attribute__((always_inline)) {
        const vec x = Dot::broadcast(a[r] + k);
        unroll<vectors>([&](auto v) __attribute__((always_inline)) {
          acc[r][v] = Dot::dot(acc[r][v], x, b[v]);
        });
      });
      panel += step_bytes;
    }
  }

  /// to[i] = the sum of the lanes of of[i], modulo 2^32.
  [[gnu::always_inline]] static void sum_lanes(const vec (&of)[4], std::uint32_t (&to)[4]) {
    words_of<Dot::lanes> x[4];
    unroll<4>([&](auto i) __attribute__((always_inline)) {
      x[i] = std::bit_cast<words_of<Dot::lanes>>(of[i]);
    });
    const words_4 sums = sums_of_words(x);
    std::memcpy(to, &sums, sizeof sums);
  }

 private:
  /// One step of a panel: row(i) is row i of k_group.
  template <class Row, class Operand>
  [[gnu::always_inline]] static void pack_step(Row row, std::byte* to, Operand operand) {
    vec all[vectors];
    if constexpr (k_group == 1) {
      const auto* const from = row(0);
      unroll<vectors>([&](auto v) __attribute__((always_inline)) {
        all[v] = operand(from + v * Dot::lanes);
      });
    } else {
      unroll<k_group>([&](auto i) __attribute__((always_inline)) { all[i] = operand(row(i)); });
      Dot::interleave(all);
    }
    std::memcpy(to, all, sizeof all);
  }
};

}  // namespace ctq::kernels::simd
