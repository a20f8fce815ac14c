// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>

#include "ctq/core/unroll.hpp"
#include "ctq/kernels/reference/embedding.hpp"
#include "ctq/kernels/simd/arch/rounding.hpp"
#include "ctq/kernels/simd/data_movement/table_rows.hpp"

CTQ_BEGIN_AVX512

namespace ctq::kernels::simd {

namespace embeddings {

/// A row that is not in the table.
[[gnu::noinline, gnu::cold]] inline void fill_with_nan(float* out, std::ptrdiff_t width) noexcept {
  std::fill_n(out, width, std::numeric_limits<float>::quiet_NaN());
}

/// Elements x … width - 1 of a row. Out of line, because the loop around it needs the registers.
[[gnu::noinline]] inline void look_up_rest(const embedding_shape& s, const embedding_table& t,
                                           std::ptrdiff_t row, std::ptrdiff_t x,
                                           float* out) noexcept {
  for (; x < s.width; ++x) out[x] = reference::table_value(s, t, row, static_cast<int>(x));
}

/// The rows of the table at all indices.
template <vectorized Isa, bool Blocks, class Table, class Index>
[[gnu::noinline]] void look_up(const embedding_shape& s, const Index* index,
                               const embedding_table& t, float* out) noexcept {
  constexpr int lanes = float_lanes<Isa>;
  const Table table(s, t);
  const embedding_shape shape = s;  // which no store may change
  const std::ptrdiff_t width = s.width;
  for (const Index* const end = index + s.indices; index != end; ++index, out += width) {
    if (!is_in_table(shape, *index)) [[unlikely]] {
      fill_with_nan(out, width);
      continue;
    }
    const auto at = static_cast<std::ptrdiff_t>(*index);
    const auto row = table[at];
    for_columns<Isa, Blocks, Table>(
        width,
        [&](std::ptrdiff_t x, auto count) __attribute__((always_inline)) {
          batch<Isa, float> y[count];
          row.load(x, y);
          unroll<count>([&](auto j) __attribute__((always_inline)) {
            y[j].store_unaligned(out + x + j * lanes);
          });
        },
        [&](std::ptrdiff_t x) __attribute__((always_inline)) { look_up_rest(s, t, at, x, out); });
  }
}

/// The sums, means or largest elements of one bag, whose indices are in the table, `rows` of them
/// not the padding.
template <vectorized Isa, bool Blocks, class Table, class Index>
[[gnu::noinline]] void reduce(const embedding_shape& s, const Index* index, index_range bag,
                              int rows, const embedding_table& t, float* out) noexcept {
  using floats = batch<Isa, float>;
  constexpr int lanes = float_lanes<Isa>;
  const Table table(s, t);
  const bool most = s.mode == bag_mode::max, mean = s.mode == bag_mode::mean && rows > 0;
  const auto divisor = static_cast<float>(rows);
  for_columns<Isa, Blocks, Table>(
      s.width,
      [&](std::ptrdiff_t x, auto count) __attribute__((always_inline)) {
        floats total[count];
        unroll<count>([&](auto j) __attribute__((always_inline)) { total[j] = floats(0.0F); });
        bool first = true;
        for (std::ptrdiff_t i = bag.first; i < bag.end; ++i) {
          if (is_padding(s, index[i])) continue;
          const auto row = table[static_cast<std::ptrdiff_t>(index[i])];
          floats y[count];
          row.load(x, y);
          unroll<count>([&](auto j) __attribute__((always_inline)) {
            if (!most) {
              total[j] = total[j] + rounded<Isa>(y[j]);
            } else {
              total[j] = first ? y[j] : floats(xsimd::select(y[j] > total[j], y[j], total[j]));
            }
          });
          first = false;
        }
        unroll<count>([&](auto j) __attribute__((always_inline)) {
          if (mean) total[j] = divide<Isa>(total[j], floats(divisor));
          total[j].store_unaligned(out + x + j * lanes);
        });
      },
      [&](std::ptrdiff_t x) __attribute__((always_inline)) {
        reference::reduce_bag(s, index, bag, rows, t, static_cast<int>(x), out);
      });
}

}  // namespace embeddings

/// As reference::embedding, bit for bit.
template <class Isa, class Index>
[[gnu::noinline]] void embedding(const embedding_shape& s, const Index* index,
                                 const embedding_table& t, float* out) noexcept {
  if constexpr (!vectorized<Isa>) {
    reference::embedding(s, index, t, out);
  } else {
    embeddings::with_table<Isa>(
        s, [&](auto table, auto blocks) __attribute__((always_inline)) {
          embeddings::look_up<Isa, blocks, typename decltype(table)::type>(s, index, t, out);
        });
  }
}

/// As reference::embedding_bag, bit for bit.
template <class Isa, class Index>
[[gnu::noinline]] void embedding_bag(const embedding_shape& s, const Index* index,
                                     const Index* offsets, const embedding_table& t,
                                     float* out) noexcept {
  if constexpr (!vectorized<Isa>) {
    reference::embedding_bag(s, index, offsets, t, out);
  } else {
    embeddings::with_table<Isa>(
        s, [&](auto table, auto blocks) __attribute__((always_inline)) {
          for (int b = 0; b < s.bags; ++b, out += s.width) {
            const index_range bag = bag_of(s, offsets, b);
            const int rows = reference::rows_of_bag(s, index, bag);
            if (rows < 0) {
              embeddings::fill_with_nan(out, s.width);
            } else {
              embeddings::reduce<Isa, blocks, typename decltype(table)::type>(s, index, bag, rows,
                                                                              t, out);
            }
          }
        });
  }
}

}  // namespace ctq::kernels::simd

CTQ_END_AVX512
