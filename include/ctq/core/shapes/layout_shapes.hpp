// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bit>

#include "ctq/core/shape.hpp"

// The shapes of kernels that only move elements.

namespace ctq {

/// What the padding of an axis is filled with.
enum class padding_rule : int { constant, reflect, replicate, circular };

/// A tensor with elements added at the ends of its axes, or removed; axes in memory order, leading
/// extents may be 1.
struct pad_shape {
  static constexpr int axes = static_cast<int>(max_rank);

  padding_rule rule{};
  int value_bits{};    // of padding_rule::constant: the float32, as its bits
  int in[axes]{};      // extents
  int before[axes]{};  // elements added at the beginning of each axis
  int out[axes]{};     // extents

  [[nodiscard]] constexpr float value() const { return std::bit_cast<float>(value_bits); }

  friend constexpr bool operator==(const pad_shape&, const pad_shape&) = default;
};

/// in_h x in_w pixels of channels * factor² channels, to or from factor² times as many pixels with
/// `channels` channels.
struct pixel_shuffle_shape {
  int batch{};
  int in_h{}, in_w{};  // of the image with fewer pixels
  int channels{};      // of the other
  int factor = 1;
  int gathers{};  // 1: pixels become channels

  friend constexpr bool operator==(const pixel_shuffle_shape&,
                                   const pixel_shuffle_shape&) = default;
};

/// One input of a concatenation: its rows of in_width elements are copied into rows of out_width
/// elements, at `offset`.
struct concat_shape {
  int rows{};
  int in_width{};
  int out_width{};
  int offset{};

  friend constexpr bool operator==(const concat_shape&, const concat_shape&) = default;
};

struct transpose_shape {
  int batch{};
  int channels{};
  int pixels{};  // H * W

  friend constexpr bool operator==(const transpose_shape&, const transpose_shape&) = default;
};

/// Elements of a tensor in the order in which they are to be written: axes of the output, the last
/// one fastest; leading extents may be 1. A stride is the distance between neighbours along an axis
/// in the input, in elements: 0 if they are the same element.
struct reorder_shape {
  static constexpr int axes = static_cast<int>(max_rank);

  int extent[axes]{};
  int stride[axes]{};
  int offset{};  // of the first element

  friend constexpr bool operator==(const reorder_shape&, const reorder_shape&) = default;
};

}  // namespace ctq
