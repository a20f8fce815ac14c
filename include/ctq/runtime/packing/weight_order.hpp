// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/kernel_descriptors.hpp"
#include "ctq/core/shapes/matrix_shapes.hpp"
#include "ctq/core/shapes/window_shapes.hpp"
#include "ctq/graph/node.hpp"
#include "ctq/ops/op.hpp"

// The weights of layers, from PyTorch's order to that in which kernels read them: channels last.

namespace ctq::packing {

/// (O, I, kh, kw) to (O, kh, kw, I): the order in which kernels read weights. Hot, since it would
/// be compiled for size otherwise: its callers are cold.
template <class T>
[[nodiscard, gnu::hot]] std::vector<T> channels_last(span<const T> oihw, int outputs,
                                                     int channels) {
  const auto rows = static_cast<std::size_t>(outputs), columns = static_cast<std::size_t>(channels);
  std::vector<T> out(oihw.size());
  const std::size_t pixels = oihw.empty() ? 0 : oihw.size() / rows / columns;
  for (std::size_t o = 0; o < rows; ++o)
    for (std::size_t p = 0; p < pixels; ++p)
      for (std::size_t c = 0; c < columns; ++c)
        out[(o * pixels + p) * columns + c] = oihw[(o * columns + c) * pixels + p];
  return out;
}

/// Calls f(pointer to the weights in this order); copies them only if necessary.
template <class T, class F>
void with_channels_last(span<const T> oihw, span<const int> shape, F f) {
  std::size_t pixels = 1;
  for (const int extent : shape.subspan(shape.size() < 2 ? shape.size() : 2))
    pixels *= static_cast<std::size_t>(extent);
  if (pixels == 1 || shape[1] == 1) return f(oihw.data());
  f(channels_last(oihw, shape[0], shape[1]).data());
}

/// (O, I, kd, kh, kw), the weight of a convolution along three axes, to (O, kh, kw, kd, I).
template <class T>
[[nodiscard, gnu::hot]] std::vector<T> planes_before_channels(span<const T> weight, int outputs,
                                                              int channels, int planes) {
  std::vector<T> out(weight.size());
  const auto rows = static_cast<std::size_t>(outputs), columns = static_cast<std::size_t>(channels);
  const auto depth = static_cast<std::size_t>(planes);
  const std::size_t pixels = weight.empty() ? 0 : weight.size() / rows / columns / depth;
  std::size_t to = 0;
  for (std::size_t o = 0; o < rows; ++o)
    for (std::size_t p = 0; p < pixels; ++p)
      for (std::size_t z = 0; z < depth; ++z)
        for (std::size_t c = 0; c < columns; ++c)
          out[to++] = weight[((o * columns + c) * depth + z) * pixels + p];
  return out;
}

/// (I, O/g, kh, kw), the weight of a transposed convolution, to (O, kh, kw, I/g); along three axes
/// (I, O/g, kd, kh, kw) to (O, kh, kw, kd, I/g).
///   planes  kd
template <class T>
[[nodiscard, gnu::hot]] std::vector<T> transposed_channels_last(span<const T> weight, int inputs,
                                                                int outputs, int groups,
                                                                int planes = 1) {
  std::vector<T> out(weight.size());
  if (weight.empty()) return out;
  const auto in_group = static_cast<std::size_t>(inputs / groups);
  const auto out_group = static_cast<std::size_t>(outputs / groups);
  const auto depth = static_cast<std::size_t>(planes);
  const std::size_t pixels = weight.size() / static_cast<std::size_t>(inputs) / out_group / depth;
  std::size_t to = 0;
  for (std::size_t o = 0; o < static_cast<std::size_t>(outputs); ++o)
    for (std::size_t p = 0; p < pixels; ++p)
      for (std::size_t z = 0; z < depth; ++z)
        for (std::size_t c = 0; c < in_group; ++c) {
          const std::size_t input = o / out_group * in_group + c;
          out[to++] = weight[((input * out_group + o % out_group) * depth + z) * pixels + p];
        }
  return out;
}

/// The weight of a layer in PyTorch's layout.
struct weight_of_layer {
  std::vector<int> shape;
  int outputs{};
  int transposed_groups = 0;  // of a transposed convolution, else 0
};

template <int = 0>
[[nodiscard, gnu::cold]] weight_of_layer weight_of(const kernel_signature& signature,
                                                   const node& n) {
  if (signature.kernel == kernel::conv_transpose2d) {
    const auto s = signature.as<conv_transpose2d_shape>();
    std::vector<int> weight{s.in_channels, s.out_channels / s.groups, s.kernel_h, s.kernel_w};
    if (n.shape.rank == 3) weight.erase(weight.begin() + 2);  // an image of one row
    return {std::move(weight), s.out_channels, s.groups};
  }
  if (signature.kernel == kernel::conv_transpose3d) {
    const auto s = signature.as<conv_transpose3d_shape>();
    return {{s.in_channels, s.out_channels / s.groups, s.kernel_d, s.kernel_h, s.kernel_w},
            s.out_channels,
            s.groups};
  }
  if (signature.kernel == kernel::conv3d) {
    const auto s = signature.as<conv3d_shape>();
    return {{s.out_channels, s.in_channels / s.groups, s.kernel_d, s.kernel_h, s.kernel_w},
            s.out_channels};
  }
  if (signature.kernel == kernel::conv2d) {
    const auto s = signature.as<conv2d_shape>();
    if (n.op->descriptor->layer_axes == 1)
      return {{s.out_channels, s.in_group(), s.kernel_w}, s.out_channels};
    return {{s.out_channels, s.in_group(), s.kernel_h, s.kernel_w}, s.out_channels};
  }
  const auto s = signature.as<linear_shape>();
  return {{s.out_features, s.in_features}, s.out_features};
}

/// Calls f(pointer to the weights in the order of kernels).
template <class T, class F>
void with_kernel_order(span<const T> weight, const weight_of_layer& w, F f) {
  const int planes = w.shape.size() == 5 ? w.shape[2] : 1;
  if (w.transposed_groups > 0)
    return f(transposed_channels_last(weight, w.shape[0], w.outputs, w.transposed_groups, planes)
                 .data());
  if (w.shape.size() == 5)
    return f(planes_before_channels(weight, w.shape[0], w.shape[1], planes).data());
  with_channels_last<T>(weight, w.shape, f);
}

}  // namespace ctq::packing
