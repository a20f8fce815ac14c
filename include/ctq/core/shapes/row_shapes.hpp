// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bit>

#include "ctq/core/shape.hpp"

// The shapes of kernels whose outputs depend on all elements of a row, or of some axes.

namespace ctq {

/// Softmax along an axis of `count` elements that are `stride` apart, `rows` times.
struct softmax_shape {
  int rows{};
  int count{};
  int stride = 1;
  int logarithm{};

  friend constexpr bool operator==(const softmax_shape&, const softmax_shape&) = default;
};

/// Softmax of the scores of attention: matrices with a row for each query, a column for each key.
struct attention_shape {
  int rows{};  // of all matrices
  int queries{};
  int keys{};
  int causal{};      // 1: query i reads only the keys 0 to i
  int scale_bits{};  // what scores are multiplied by, a float32 as its bits

  [[nodiscard]] constexpr float scale() const { return std::bit_cast<float>(scale_bits); }

  friend constexpr bool operator==(const attention_shape&, const attention_shape&) = default;
};

/// What a reduction computes from the elements that it reads.
enum class reduction_rule : int { mean, sum, max, min };

/// A tensor, some of whose axes are reduced to one element; axes in memory order.
struct reduction_shape {
  reduction_rule rule{};
  shape in{};
  int axes{};  // bit i: axis i is reduced

  [[nodiscard]] constexpr bool reduces(int axis) const { return (axes >> axis & 1) != 0; }

  friend constexpr bool operator==(const reduction_shape&, const reduction_shape&) = default;
};

/// Rows of `count` elements, each normalized by its own mean and variance. Weight and bias have an
/// element for each channel; element i of the tensor is in channel i / pixels % channels.
struct layer_norm_shape {
  int rows{};
  int count{};
  int channels{};
  int pixels = 1;
  int affine{};  // has weight and bias
  float eps{};

  friend constexpr bool operator==(const layer_norm_shape&, const layer_norm_shape&) = default;
};

}  // namespace ctq
