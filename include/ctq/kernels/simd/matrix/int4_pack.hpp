// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "ctq/core/packing.hpp"
#include "ctq/core/shapes/matrix_shapes.hpp"
#include "ctq/kernels/int4_weights.hpp"
#include "ctq/kernels/reference/linear_weight_int4.hpp"
#include "ctq/kernels/simd/arch/all_dots.hpp"
#include "ctq/kernels/simd/geometry.hpp"
#include "ctq/kernels/simd/matrix/int4_dot.hpp"

// Packs four-bit weights, and copies activations, in the order in which linear_weight_int4 reads
// them. With few rows, reading the weights takes most of the time, so they are unpacked in
// registers only. For each block of channels, for each group,
//
//   zero points   a byte for two channels, as in a line, padded to full registers
//   scales        a float per channel
//   lines         of int4_dot: four values per channel, register by register
//
// Groups are padded to full lines; the activations are padded likewise, with zeros.

namespace ctq::kernels::simd {

/// The layout of a layer's packed weights and workspace.
template <class Dot>
struct int4_layout {
  int in_features, out_features, group_size;

  static constexpr int line_values = 4;  // of a channel
  static constexpr std::size_t vec_bytes = Dot::lanes * sizeof(std::int32_t);
  static constexpr int pair_width = 2 * Dot::lanes;      // channels of a line
  static constexpr int width = Dot::pairs * pair_width;  // channels of a block

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
  [[nodiscard]] constexpr int pairs(int block) const {
    return std::min(Dot::pairs, ceil_div(out_features - block * width, pair_width));
  }
  [[nodiscard]] constexpr std::size_t packed_bytes() const {
    if (blocks() == 0) return 0;
    const int last = blocks() - 1;
    return packing::padded(static_cast<std::size_t>(last) * block_bytes(Dot::pairs) +
                           block_bytes(pairs(last)));
  }
  [[nodiscard]] constexpr std::size_t block_bytes(int pairs) const {
    const auto n = static_cast<std::size_t>(pairs);
    return header_bytes(pairs) * static_cast<std::size_t>(groups()) + vec_bytes * n * all_lines();
  }
  /// Bytes of the zero points of a group, and of zero points and scales.
  [[nodiscard]] static constexpr std::size_t zero_point_bytes(int pairs) {
    return round_up(static_cast<std::size_t>(pairs * Dot::lanes), vec_bytes);
  }
  [[nodiscard]] static constexpr std::size_t header_bytes(int pairs) {
    return zero_point_bytes(pairs) + static_cast<std::size_t>(pairs * pair_width) * sizeof(float);
  }

  /// A row in the workspace: activations, then, in as many bytes, the sum of each line, later of
  /// each group.
  static_assert(line_values == sizeof(std::int32_t));
  [[nodiscard]] constexpr std::size_t sums_at() const {
    return packing::padded(all_lines() * line_values);
  }
  [[nodiscard]] constexpr std::size_t row_bytes() const { return 2 * sums_at(); }
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
  if (layout.packed_bytes() == 0) return;
  std::memset(packed, 0, layout.packed_bytes());
  for (int block = 0; block < layout.blocks(); ++block) {
    const int pairs = layout.pairs(block);
    const int used = std::min(pairs * layout.pair_width, shape.out_features - block * layout.width);
    for (int group = 0; group < layout.groups(); ++group) {
      std::byte* const scales = packed + layout.zero_point_bytes(pairs);
      std::byte* const lines = packed + layout.header_bytes(pairs);
      for (int i = 0; i < used; ++i) {
        const int n = block * layout.width + i;
        const std::ptrdiff_t at = std::ptrdiff_t{n} * layout.groups() + group;
        const int lane = i / layout.pair_width * Dot::lanes + i % Dot::lanes;
        const int shift = i / Dot::lanes % 2 * 4;
        packed[lane] |= static_cast<std::byte>(
            reference::int4_zero_point(weight, layout.groups(), n, group) << shift);
        std::memcpy(scales + i * std::ptrdiff_t{sizeof(float)}, weight.scale + at, sizeof(float));
        for (int j = 0; j < layout.length(group); ++j) {
          const int value =
              reference::int4_value(weight, shape.in_features, n, group * weight.group_size + j);
          const std::ptrdiff_t at_lane = j / 4 * std::ptrdiff_t{pairs * Dot::lanes} + lane;
          lines[at_lane * 4 + j % 4] |= static_cast<std::byte>(value << shift);
        }
      }
      packed = lines + static_cast<std::size_t>(layout.lines(group)) *
                           static_cast<std::size_t>(pairs) * layout.vec_bytes;
    }
  }
}

/// Copies a row of activations, padded like the lines, and computes the sum of each group.
template <class Dot>
[[gnu::always_inline]] inline void copy_activations(const int4_layout<Dot>& layout,
                                                    const std::int8_t* in,
                                                    std::byte* row) noexcept {
  constexpr int line_values = int4_layout<Dot>::line_values;
  if (layout.in_features == 0) return;
  const bool whole = layout.group_size % line_values == 0;  // then only the last one is padded
  const int run = whole ? layout.in_features : layout.group_size;
  std::byte* const sums = row + layout.sums_at();
  std::byte* to = row;
  for (int k = 0; k < layout.in_features; k += run) {
    const int length = std::min(run, layout.in_features - k);
    std::memcpy(to, in + k, static_cast<std::size_t>(length));
    to += length;
    for (int pad = length; pad % line_values != 0; ++pad) *to++ = std::byte{};
  }
  std::memset(to, 0, static_cast<std::size_t>(sums - to));

  constexpr std::int8_t one[line_values] = {1, 1, 1, 1};
  const typename Dot::vec ones = Dot::broadcast(one);
  for (std::ptrdiff_t at = 0; at < sums - row; at += layout.vec_bytes) {
    typename Dot::sums of_lines = Dot::begin(typename Dot::pair{});
    Dot::add(of_lines, {ones, ones}, Dot::load(row + at));
    Dot::save(sums + at, Dot::total(of_lines).low);
  }
  const std::byte* from = sums;
  for (int group = 0; group < layout.groups(); ++group) {
    std::int32_t sum = 0;
    for (int line = 0; line < layout.lines(group); ++line, from += sizeof sum) {
      std::int32_t x;
      std::memcpy(&x, from, sizeof x);
      sum += x;
    }
    std::memcpy(sums + group * std::ptrdiff_t{sizeof sum}, &sum, sizeof sum);
  }
}

}  // namespace ctq::kernels::simd
