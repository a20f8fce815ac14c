// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "ctq/core/no_contract.hpp"
#include "ctq/core/shapes/sequence_shapes.hpp"
#include "ctq/kernels/embedding_table.hpp"

namespace ctq::kernels::reference {

/// Element x of a row.
[[nodiscard]] inline float table_value(const embedding_shape& s, const embedding_table& t,
                                       std::ptrdiff_t row, int x) noexcept {
  if (s.bits == 32) return static_cast<const float*>(t.rows)[row * s.width + x];
  const auto* const bytes = static_cast<const std::uint8_t*>(t.rows) + row * bytes_of_row(s);
  const int q = s.bits == 4        ? bytes[x / 2] >> (x % 2 * 4) & 15
                : s.is_signed != 0 ? static_cast<std::int8_t>(bytes[x])
                                   : bytes[x];
  return (static_cast<float>(q) - t.zero_point[row]) * t.scale[row];
}

/// Rows of a table:
///
///   out[i] = table[index[i]]            of floats
///   out[i,x] = (q[index[i],x] - zero_point[index[i]]) * scale[index[i]]    of integers
///
/// Shapes    index [indices] · table [rows, width] · out [indices, width]
/// Special   an index outside of the table gives a row of NaN
/// Rounding  once in the difference, once in the product
/// Source    PyTorch embedding, quantized::embedding_byte, embedding_4bit
template <class Index>
inline void embedding(const embedding_shape& s, const Index* index, const embedding_table& t,
                      float* out) noexcept {
  for (int i = 0; i < s.indices; ++i)
    for (int x = 0; x < s.width; ++x)
      *out++ = is_in_table(s, index[i])
                   ? table_value(s, t, static_cast<std::ptrdiff_t>(index[i]), x)
                   : std::numeric_limits<float>::quiet_NaN();
}

/// How many rows of a bag are not the padding; -1 if an index is outside of the table, or the
/// offsets are wrong.
template <class Index>
[[nodiscard]] inline int rows_of_bag(const embedding_shape& s, const Index* index,
                                     const index_range& bag) noexcept {
  if (!bag.valid) return -1;
  int rows = 0;
  for (std::ptrdiff_t i = bag.first; i < bag.end; ++i) {
    if (is_padding(s, index[i])) continue;
    if (!is_in_table(s, index[i])) return -1;
    ++rows;
  }
  return rows;
}

/// Elements x … width - 1 of the result of a bag, whose indices are in the table, `rows` of them
/// not the padding.
template <class Index>
inline void reduce_bag(const embedding_shape& s, const Index* index, const index_range& bag,
                       int rows, const embedding_table& t, int x, float* out) noexcept {
  std::fill(out + x, out + s.width, 0.0F);
  bool first = true;
  for (std::ptrdiff_t i = bag.first; i < bag.end; ++i) {
    if (is_padding(s, index[i])) continue;
    for (int c = x; c < s.width; ++c) {
      const float value = no_contract(table_value(s, t, static_cast<std::ptrdiff_t>(index[i]), c));
      if (s.mode != bag_mode::max) {
        out[c] += value;
      } else if (first || value > out[c]) {
        out[c] = value;
      }
    }
    first = false;
  }
  if (s.mode == bag_mode::mean && rows > 0)
    for (int c = x; c < s.width; ++c) out[c] /= static_cast<float>(rows);
}

/// The sum, the mean or the largest elements of the rows of each bag, those of padding_index left
/// out; 0 if it is empty.
///
/// Shapes    index [indices] · offsets [bags], with the end of the last one [bags + 1], or none ·
///           table [rows, width] · out [bags, width]
/// Special   an index outside of the table, or offsets that decrease or lie outside of the indices,
///           give a row of NaN
/// Rounding  in the sums, in the order of the indices; the mean is their quotient
/// Source    PyTorch embedding_bag, quantized::embedding_bag_byte, embedding_bag_4bit
template <class Index>
inline void embedding_bag(const embedding_shape& s, const Index* index, const Index* offsets,
                          const embedding_table& t, float* out) noexcept {
  for (int b = 0; b < s.bags; ++b, out += s.width) {
    const index_range bag = bag_of(s, offsets, b);
    const int rows = rows_of_bag(s, index, bag);
    if (rows < 0) {
      std::fill_n(out, s.width, std::numeric_limits<float>::quiet_NaN());
    } else {
      reduce_bag(s, index, bag, rows, t, 0, out);
    }
  }
}

}  // namespace ctq::kernels::reference
