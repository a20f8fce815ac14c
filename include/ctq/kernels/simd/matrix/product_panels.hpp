// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "ctq/core/kernel_signature.hpp"
#include "ctq/kernels/simd/arch/register_dot.hpp"
#include "ctq/kernels/simd/dot.hpp"
#include "ctq/kernels/simd/geometry.hpp"
#include "ctq/kernels/simd/unroll.hpp"

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
  static constexpr int vectors = k_group == 1 ? 4 : k_group;  // of a panel, a step
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
    return round_up(elements * sizeof(element), 64);
  }
  [[nodiscard]] static constexpr std::size_t panel_bytes(const matmul_shape& s) {
    return round_up(static_cast<std::size_t>(steps(s)) * step_bytes, 64);
  }

  /// A panel of rows [k, n] of b; `count` of its columns exist. operand(p) loads elements of a row
  /// as a register. What is not there is not used: a has zeros after k.
  template <class T, class Operand>
  static void pack_rows(const matmul_shape& s, const T* b, int count, std::byte* to,
                        Operand operand) {
    T kept[columns]{};
    for (int k = 0; k < s.k; k += k_group, to += step_bytes) {
      const auto row = [&](int i) __attribute__((always_inline))->const T* {
        const T* const from = b + std::ptrdiff_t{k + i} * s.n;
        if (k + i < s.k && count == columns) return from;
        if (k + i < s.k) std::memcpy(kept, from, static_cast<std::size_t>(count) * sizeof(T));
        return kept;
      };
      vec all[vectors];
      if constexpr (k_group == 1) {
        const T* const from = row(0);
        unroll<vectors>([&](auto v) __attribute__((always_inline)) {
          all[v] = operand(from + v * Dot::lanes);
        });
      } else {
        unroll<k_group>([&](auto i) __attribute__((always_inline)) { all[i] = operand(row(i)); });
        Dot::interleave(all);
      }
      std::memcpy(to, all, sizeof all);
    }
  }

  /// The same of columns [n, k]. weights(p) makes 16 bytes of weights of one column.
  template <class T, class Weights>
  static void pack_columns(const matmul_shape& s, const T* b, int count, std::byte* to,
                           Weights weights) {
    if constexpr (k_group * sizeof(weight) == 4) {
      for (int first = 0; first < count; first += 4) {
        const T* column[4];
        for (int i = 0; i < 4; ++i)
          column[i] = b + std::ptrdiff_t{std::min(first + i, count - 1)} * s.k;
        std::byte* at = to + places[static_cast<std::size_t>(first / 4)];
        const auto put = [&](int some) __attribute__((always_inline)) {
          words of[4];
          for (int i = 0; i < 4; ++i) of[i] = weights(column[i]);
          transpose(of);
          for (int i = 0; i < some; ++i, at += step_bytes) std::memcpy(at, &of[i], sizeof of[i]);
        };
        constexpr int block = 4 * k_group;
        int k = 0;
        for (; k + block <= s.k; k += block) {
          put(4);
          for (const T*& c : column) c += block;
        }
        if (k == s.k) continue;
        T rest[4][block]{};
        for (int i = 0; i < 4; ++i) {
          std::memcpy(rest[i], column[i], static_cast<std::size_t>(s.k - k) * sizeof(T));
          column[i] = rest[i];
        }
        put(ceil_div(s.k - k, k_group));
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

  /// to[i] = Σ of[i], modulo 2^32.
  [[gnu::always_inline]] static void sum_lanes(const std::uint32_t (&of)[4][Dot::lanes],
                                               std::uint32_t (&to)[4]) {
    if constexpr (Dot::lanes < 4) {
      for (int i = 0; i < 4; ++i) to[i] = of[i][0];
    } else {
      words x[4]{};
      for (int i = 0; i < 4; ++i)
        for (int lane = 0; lane < Dot::lanes; lane += 4) {
          words four;
          std::memcpy(&four, &of[i][lane], sizeof four);
          x[i] += four;
        }
      transpose(x);
      const words sum = (x[0] + x[1]) + (x[2] + x[3]);
      std::memcpy(to, &sum, sizeof sum);
    }
  }

 private:
  typedef std::uint32_t words [[gnu::vector_size(16)]];

  /// Where each four columns are in a step, in bytes.
  static constexpr auto places = [] {
    std::array<std::size_t, static_cast<std::size_t>(ceil_div(columns, 4))> all{};
    for (int v = 0; v < vectors; ++v)
      for (int lane = 0; lane < Dot::lanes; ++lane) {
        const int column = Dot::column(vectors, v, lane);
        if (column % 4 == 0)
          all[static_cast<std::size_t>(column / 4)] =
              static_cast<std::size_t>(v * Dot::lanes + lane) * k_group * sizeof(weight);
      }
    return all;
  }();

  [[gnu::always_inline]] static void transpose(words (&x)[4]) {
    const words a = __builtin_shufflevector(x[0], x[1], 0, 4, 1, 5);
    const words b = __builtin_shufflevector(x[2], x[3], 0, 4, 1, 5);
    const words c = __builtin_shufflevector(x[0], x[1], 2, 6, 3, 7);
    const words d = __builtin_shufflevector(x[2], x[3], 2, 6, 3, 7);
    x[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
    x[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
    x[2] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
    x[3] = __builtin_shufflevector(c, d, 2, 3, 6, 7);
  }
};

}  // namespace ctq::kernels::simd
