// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/shapes/window_shapes.hpp"

// The shapes of matrix products: of activations and weights, or of two activations.

namespace ctq {

struct linear_shape {
  int rows{};
  int in_features{};
  int out_features{};
  int signed_input{};  // of dynamic ones: 1: the input is quantized to qint8, else to quint8
  int group_size{};    // of linear_dynamic_int4: inputs whose weights share a scale

  friend constexpr bool operator==(const linear_shape&, const linear_shape&) = default;
};

/// A linear layer is a convolution with kernels of one pixel, on an image of one row.
[[nodiscard]] constexpr conv2d_shape as_conv2d(const linear_shape& s) {
  return {.batch = 1,
          .in_h = 1,
          .in_w = s.rows,
          .in_channels = s.in_features,
          .out_channels = s.out_features,
          .kernel_h = 1,
          .kernel_w = 1};
}

/// How many products of two 8-bit integers, without their zero points, can be added in int32.
inline constexpr int most_int8_products = 33025;

/// Products of matrices: [m, k] by [k, n], or by [n, k] if the second one is transposed. If a
/// tensor has only one matrix, it is used for all matrices of the other.
struct matmul_shape {
  int batch{};
  int m{}, n{}, k{};
  int matrices[2]{};  // batch, or 1
  int transposed{};   // the second one

  friend constexpr bool operator==(const matmul_shape&, const matmul_shape&) = default;
};

}  // namespace ctq
