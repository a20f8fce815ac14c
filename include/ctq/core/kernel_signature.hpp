// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <string_view>

#include "ctq/core/dtype.hpp"
#include "ctq/core/padded.hpp"
#include "ctq/core/shape.hpp"
#include "ctq/core/window_shapes.hpp"

// The contract between the passes, which decide what is to be computed, and the kernels, which
// compute it. A signature holds all that machine code may depend on: the kernel, the element
// types and the sizes. Equal signatures share one body. Activations are in NHWC order.

namespace ctq {

struct op_info;

/// Which kernel: its place in the list of core/kernel_descriptors.hpp: kernel::conv2d,
/// kernel::binary_add, …
enum class kernel_id : unsigned char {};

/// What a conv2d or linear on integers does to its outputs before it stores them: an op that is
/// fused into it, which reads nothing else or one more tensor of the same shape.
enum class fused_op : unsigned char {
  nothing,
  add,
  add_relu,
  table,  // any function of one number
};

[[nodiscard]] constexpr std::string_view name_of(fused_op f) {
  constexpr std::string_view names[] = {"nothing", "add", "add_relu", "table"};
  return names[static_cast<std::size_t>(f)];
}

struct elementwise_shape {
  int count{};

  friend constexpr bool operator==(const elementwise_shape&, const elementwise_shape&) = default;
};

/// Two tensors that are broadcast against each other, in the axes of the output, the last one
/// fastest; leading extents may be 1. A step is the distance between neighbours along an axis, in
/// elements: 0 if the tensor is broadcast along it. The last steps are 0 or 1.
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

/// Where a resized axis samples the input.
enum class sampling_rule : int {
  nearest,
  nearest_exact,
  linear,
  linear_aligned,
  cubic,  // of images without depth
  cubic_aligned,
};

/// Images of another size. Floats are kept as their bits.
struct resampling_shape {
  int batch{};
  int in_h{}, in_w{};
  int channels{};
  int out_h{}, out_w{};
  sampling_rule sampling{};
  int scale_bits[3]{};  // input pixels per output pixel, along H, W and D
  int in_d = 1, out_d = 1;

  [[nodiscard]] constexpr float scale_h() const { return std::bit_cast<float>(scale_bits[0]); }
  [[nodiscard]] constexpr float scale_w() const { return std::bit_cast<float>(scale_bits[1]); }
  [[nodiscard]] constexpr float scale_d() const { return std::bit_cast<float>(scale_bits[2]); }
  [[nodiscard]] constexpr bool is_cubic() const {
    return sampling == sampling_rule::cubic || sampling == sampling_rule::cubic_aligned;
  }
  [[nodiscard]] constexpr bool is_nearest() const {
    return sampling == sampling_rule::nearest || sampling == sampling_rule::nearest_exact;
  }

  friend constexpr bool operator==(const resampling_shape&, const resampling_shape&) = default;
};

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
/// one fastest; leading extents may be 1. A step is the distance between neighbours along an axis
/// in the input, in elements: 0 if they are the same element.
struct reorder_shape {
  static constexpr int axes = static_cast<int>(max_rank);

  int extent[axes]{};
  int stride[axes]{};
  int offset{};  // of the first element

  friend constexpr bool operator==(const reorder_shape&, const reorder_shape&) = default;
};

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

namespace packing {

/// Packed weights, parameters, workspaces and arena values begin at multiples of this many bytes.
inline constexpr std::size_t alignment = 64;

/// The next multiple of it.
[[nodiscard]] constexpr std::size_t padded(std::size_t bytes) {
  return (bytes + alignment - 1) / alignment * alignment;
}

/// The padded bytes of `count` numbers of 32 bits: biases, scales, multipliers.
[[nodiscard]] constexpr std::size_t vector_bytes(int count) {
  return padded(static_cast<std::size_t>(count) * 4);
}

}  // namespace packing

/// Whole tensors, in N, C, H, W order, and the memory of the tensors that the op owns.
struct function_shape {
  shape in[2]{};
  shape out{};
  int parameter_blocks{};  // of packing::alignment bytes

  friend constexpr bool operator==(const function_shape&, const function_shape&) = default;
};

struct kernel_signature {
  using sizes = std::array<std::uint64_t, 11>;  // fewer elements for the compiler than ints

  kernel_id kernel{};
  dtype in = dtype::none;
  dtype out = dtype::none;
  bool relu{};  // a relu follows; layers on integers have it as the lower bound of their clamp
  fused_op then = fused_op::nothing;
  sizes size{};
  const op_info* called_op{};  // elementwise and function: whose functions are called

  template <class Shape>
  [[nodiscard]] constexpr Shape as() const {
    return from_block<Shape>(size);
  }

  friend constexpr bool operator==(const kernel_signature&, const kernel_signature&) = default;
};

template <fits_in<sizeof(kernel_signature::sizes)> Shape>
[[nodiscard]] constexpr kernel_signature signature_of(kernel_id kernel, dtype in, dtype out,
                                                      const Shape& shape, bool relu = false,
                                                      const op_info* called_op = nullptr) {
  return {kernel,   in, out, relu, fused_op::nothing, to_block<kernel_signature::sizes>(shape),
          called_op};
}

}  // namespace ctq
