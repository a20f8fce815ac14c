// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/core/shapes/sequence_shapes.hpp"

// The table of an embedding, and which of its rows a bag reads.

namespace ctq::kernels {

/// Contiguous rows of floats, or of integers with a scale and a zero point per row. A byte holds
/// two 4-bit integers, the first in its low half.
struct embedding_table {
  const void* rows{};
  const float* scale{};
  const float* zero_point{};
};

/// Bytes of a row.
[[nodiscard]] constexpr std::ptrdiff_t bytes_of_row(const embedding_shape& s) {
  return (std::ptrdiff_t{s.width} * s.bits + 7) / 8;
}

template <class Index>
[[nodiscard]] constexpr bool is_in_table(const embedding_shape& s, Index i) {
  return i >= 0 && i < s.rows;
}

/// Whether a bag leaves this index out.
template <class Index>
[[nodiscard]] constexpr bool is_padding(const embedding_shape& s, Index i) {
  return i >= 0 && i == s.padding_index;
}

/// The range of the indices of a bag. It is not valid if offsets decrease or leave the range of all
/// indices.
struct index_range {
  std::ptrdiff_t first{}, end{};
  bool valid = true;
};

/// The indices of bag b. Without offsets each bag has indices / bags of them.
template <class Index>
[[nodiscard]] constexpr index_range bag_of(const embedding_shape& s, const Index* offsets, int b) {
  if (s.has_offsets == 0) {
    const std::ptrdiff_t each = s.indices / s.bags;
    return {b * each, (b + 1) * each};
  }
  const bool is_last = s.has_offsets == 1 && b + 1 == s.bags;
  const auto first = static_cast<std::ptrdiff_t>(offsets[b]);
  const std::ptrdiff_t end = is_last ? s.indices : static_cast<std::ptrdiff_t>(offsets[b + 1]);
  return {first, end, first >= 0 && first <= end && end <= s.indices};
}

}  // namespace ctq::kernels
