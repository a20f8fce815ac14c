// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "ctq/kernels/int4_weights.hpp"
#include "ctq/kernels/reference/linear_weight_int4.hpp"
#include "ctq/kernels/simd/geometry.hpp"
#include "ctq/kernels/simd/int4_dot.hpp"

// Four-bit weights, and the activations they meet, in the order in which linear_weight_int4 reads
// them. For few rows the time is that of reading the weights, so they stay four bits wide until
// they are in a register. For each block of channels, for each group,
//
//   zero points   a byte a channel, as long as a register
//   scales        a float a channel
//   lines         of int4_dot: eight values a channel, one register after the other
//
// Groups are padded to whole lines; the activations are copied to match, with zeros.

namespace ctq::kernels::simd {

/// Where things are in a layer's packed weights and in its workspace.
template <class Dot>
struct int4_layout {
  int in_features, out_features, group_size;

  static constexpr int line_values = 8;  // of a channel
  static constexpr std::size_t vec_bytes = Dot::lanes * sizeof(std::int32_t);
  static constexpr int width = Dot::lanes * Dot::vectors;  // channels of a block

  [[nodiscard]] constexpr int groups() const { return ceil_div(in_features, group_size); }
  [[nodiscard]] constexpr int length(int group) const {
    return std::min(group_size, in_features - group * group_size);
  }
  [[nodiscard]] constexpr int lines(int group) const {
    return ceil_div(length(group), line_values);
  }
  [[nodiscard]] constexpr std::size_t all_lines() const {
    if (groups() == 0) return 0;
    return static_cast<std::size_t>(groups() - 1) * static_cast<std::size_t>(lines(0)) +
           static_cast<std::size_t>(lines(groups() - 1));
  }
  [[nodiscard]] constexpr int blocks() const { return ceil_div(out_features, width); }
  [[nodiscard]] constexpr int vectors(int block) const {
    return std::min(Dot::vectors, ceil_div(out_features - block * width, Dot::lanes));
  }
  [[nodiscard]] constexpr std::size_t packed_bytes() const {
    std::size_t of_blocks = 0;
    for (int block = std::max(blocks() - 1, 0); block < blocks(); ++block) {
      const auto whole = static_cast<std::size_t>(block);
      of_blocks = whole * block_bytes(Dot::vectors) + block_bytes(vectors(block));
    }
    return round_up(of_blocks, packed_alignment);
  }
  [[nodiscard]] constexpr std::size_t block_bytes(int vectors) const {
    const auto n = static_cast<std::size_t>(vectors);
    return vec_bytes * ((1 + n) * static_cast<std::size_t>(groups()) + n * all_lines());
  }

  /// Of one row in the workspace: activations, then the sum of each group.
  [[nodiscard]] constexpr std::size_t row_sums() const { return round_up(all_lines() * 8, 64); }
  [[nodiscard]] constexpr std::size_t row_bytes() const {
    return round_up(row_sums() + static_cast<std::size_t>(groups()) * sizeof(std::int32_t), 64);
  }
};

/// Bytes of the packed weights, aligned to 64.
template <class Isa>
[[nodiscard]] constexpr std::size_t linear_weight_int4_packed_bytes(const linear_shape& shape,
                                                                    int group_size) {
  return int4_layout<int4_dot<Isa>>{shape.in_features, shape.out_features, group_size}
      .packed_bytes();
}

/// Bytes of the workspace, aligned to 64.
template <class Isa>
[[nodiscard]] constexpr std::size_t linear_weight_int4_workspace_bytes(const linear_shape& shape,
                                                                       int group_size) {
  const int4_layout<int4_dot<Isa>> layout{shape.in_features, shape.out_features, group_size};
  return static_cast<std::size_t>(shape.rows) * layout.row_bytes();
}

/// Writes the weights in the kernel's order.
template <class Isa>
void pack_linear_weight_int4(const linear_shape& shape, const int4_weights& weight,
                             std::byte* packed) {
  using Dot = int4_dot<Isa>;
  const int4_layout<Dot> layout{shape.in_features, shape.out_features, weight.group_size};
  std::memset(packed, 0, layout.packed_bytes());
  for (int block = 0; block < layout.blocks(); ++block) {
    const int vectors = layout.vectors(block);
    const int used = std::min(vectors * Dot::lanes, shape.out_features - block * layout.width);
    for (int group = 0; group < layout.groups(); ++group) {
      std::byte* const scales = packed + layout.vec_bytes;
      std::byte* const lines = scales + static_cast<std::size_t>(vectors) * layout.vec_bytes;
      for (int i = 0; i < used; ++i) {
        const int n = block * layout.width + i;
        const std::ptrdiff_t at = std::ptrdiff_t{n} * layout.groups() + group;
        packed[i] =
            static_cast<std::byte>(reference::int4_zero_point(weight, layout.groups(), n, group));
        std::memcpy(scales + i * std::ptrdiff_t{sizeof(float)}, weight.scale + at, sizeof(float));
        for (int j = 0; j < layout.length(group); ++j) {
          const int value =
              reference::int4_value(weight, shape.in_features, n, group * weight.group_size + j);
          const std::ptrdiff_t line = j / 8 * std::ptrdiff_t{vectors * Dot::lanes} + i;
          lines[line * 4 + j % 4] |= static_cast<std::byte>(value << (j % 8 / 4 * 4));
        }
      }
      packed = lines + static_cast<std::size_t>(layout.lines(group)) *
                           static_cast<std::size_t>(vectors) * layout.vec_bytes;
    }
  }
}

/// One row of activations as the lines want them, and the sum of each group.
template <class Dot>
[[gnu::always_inline]] inline void copy_row(const int4_layout<Dot>& layout, const std::int8_t* in,
                                            std::byte* row) noexcept {
  auto* to = reinterpret_cast<std::int8_t*>(row);
  std::byte* sums = row + layout.row_sums();
  for (int group = 0; group < layout.groups(); ++group, sums += sizeof(std::int32_t)) {
    const int length = layout.length(group);
    std::int32_t sum = 0;
    for (int k = 0; k < length; ++k) sum += in[k];
    std::memcpy(sums, &sum, sizeof sum);
    std::memcpy(to, in, static_cast<std::size_t>(length));
    const int padded = layout.lines(group) * layout.line_values;
    std::memset(to + length, 0, static_cast<std::size_t>(padded - length));
    in += length;
    to += padded;
  }
}

}  // namespace ctq::kernels::simd
