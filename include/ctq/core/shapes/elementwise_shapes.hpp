// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The shapes of elementwise kernels: what they have to know of their tensors.

namespace ctq {

struct elementwise_shape {
  int count{};

  friend constexpr bool operator==(const elementwise_shape&, const elementwise_shape&) = default;
};

/// Two tensors that are broadcast against each other, in the axes of the output, the last one
/// fastest; leading extents may be 1. A stride is the distance between neighbours along an axis, in
/// elements: 0 if the tensor is broadcast along it. The last strides are 0 or 1.
struct broadcast_shape {
  static constexpr int axes = 4;

  int extent[axes]{};
  int stride[2][axes]{};  // by tensor

  friend constexpr bool operator==(const broadcast_shape&, const broadcast_shape&) = default;
};

struct channels_shape {
  int rows{};  // pixels
  int channels{};

  friend constexpr bool operator==(const channels_shape&, const channels_shape&) = default;
};

}  // namespace ctq
