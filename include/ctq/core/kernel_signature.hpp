// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <string_view>

#include "ctq/core/dtype.hpp"
#include "ctq/core/padded.hpp"
#include "ctq/core/shape.hpp"

// The contract between the passes, which decide what is to be computed, and the kernels, which
// compute it. A signature holds all that machine code may depend on: the kernel, the element
// types and the sizes. Equal signatures share one body. Activations lie in NHWC order.

namespace ctq {

struct op_info;

enum class kernel : unsigned char {
  quantize,             // float32 -> quint8 | qint8               elementwise_shape
  dequantize,           // quint8 | qint8 -> float32               elementwise_shape
  requantize,           // quint8 | qint8 -> quint8 | qint8        elementwise_shape
  relu,                 // any -> same                             elementwise_shape
  add,                  // two of a type -> same                   elementwise_shape
  add_relu,             // two of a type -> same                   elementwise_shape
  mul,                  // two of a type -> same, optional relu    elementwise_shape
  conv2d,               // conv, bias, optional relu               conv2d_shape
  linear,               // linear, bias, optional relu             linear_shape
  linear_dynamic,       // the same, float32 by way of quint8      linear_shape
  batch_norm2d,         // float32 only, optional relu             channels_shape
  max_pool2d,           //                                         pool2d_shape
  avg_pool2d,           // also adaptive: of fixed size            pool2d_shape
  concat,               // one input of a cat, to its place        concat_shape
  elementwise,          // an op of the user's own, on one or two  elementwise_shape
  function,             // the same, not element by element        function_shape
  to_nhwc,              // transpose at a door or after a view     transpose_shape
  to_nchw,              //                                         transpose_shape
  add_within_one_step,  // add of integers in 16 bits, if asked    elementwise_shape
};
using kernel_id = kernel;

[[nodiscard]] constexpr std::string_view name_of(kernel k) {
  constexpr std::string_view names[] = {"quantize",
                                        "dequantize",
                                        "requantize",
                                        "relu",
                                        "add",
                                        "add_relu",
                                        "mul",
                                        "conv2d",
                                        "linear",
                                        "linear_dynamic",
                                        "batch_norm2d",
                                        "max_pool2d",
                                        "avg_pool2d",
                                        "concat",
                                        "elementwise",
                                        "function",
                                        "to_nhwc",
                                        "to_nchw",
                                        "add_within_one_step"};
  return names[static_cast<std::size_t>(k)];
}

/// The kernels that call an op of the user's own, which their key names.
[[nodiscard]] constexpr bool is_own(kernel k) {
  return k == kernel::elementwise || k == kernel::function;
}

/// What a conv2d or linear on integers does to its outputs before it stores them: an op of its own
/// that reads nothing else, or one tensor more of the same shape.
enum class joined : unsigned char {
  nothing,
  add,
  add_relu,
  table,  // any function of one number
};

[[nodiscard]] constexpr std::string_view name_of(joined j) {
  constexpr std::string_view names[] = {"nothing", "add", "add_relu", "table"};
  return names[static_cast<std::size_t>(j)];
}

struct elementwise_shape {
  int count{};

  friend constexpr bool operator==(const elementwise_shape&, const elementwise_shape&) = default;
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

  friend constexpr bool operator==(const linear_shape&, const linear_shape&) = default;
};

struct conv2d_shape {
  int batch{};
  int in_h{}, in_w{};
  int in_channels{}, out_channels{};
  int kernel_h{}, kernel_w{};
  int stride_h = 1, stride_w = 1;
  int padding_h{}, padding_w{};
  int dilation_h = 1, dilation_w = 1;
  int groups = 1;

  [[nodiscard]] constexpr int out_h() const {
    return (in_h + 2 * padding_h - dilation_h * (kernel_h - 1) - 1) / stride_h + 1;
  }
  [[nodiscard]] constexpr int out_w() const {
    return (in_w + 2 * padding_w - dilation_w * (kernel_w - 1) - 1) / stride_w + 1;
  }
  [[nodiscard]] constexpr int padded_h() const { return in_h + 2 * padding_h; }
  [[nodiscard]] constexpr int padded_w() const { return in_w + 2 * padding_w; }
  [[nodiscard]] constexpr int in_group() const { return in_channels / groups; }
  [[nodiscard]] constexpr int out_group() const { return out_channels / groups; }
  [[nodiscard]] constexpr bool depthwise() const {
    return groups == in_channels && groups == out_channels;
  }

  friend constexpr bool operator==(const conv2d_shape&, const conv2d_shape&) = default;
};

/// A window that slides over each channel. out_h and out_w are given, since ceil_mode decides them.
/// Adaptive pooling: adaptive = 1, window i of n covers [i*in/n, ceil((i+1)*in/n)).
struct pool2d_shape {
  int batch{};
  int in_h{}, in_w{};
  int channels{};
  int out_h{}, out_w{};
  int kernel_h{}, kernel_w{};
  int stride_h = 1, stride_w = 1;
  int padding_h{}, padding_w{};
  int dilation_h = 1, dilation_w = 1;  // max pooling only
  int count_include_pad = 1;           // average pooling only
  int adaptive{};

  friend constexpr bool operator==(const pool2d_shape&, const pool2d_shape&) = default;
};

/// One input of a concatenation: rows of in_width elements go to column offset of rows of
/// out_width.
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

/// Whole tensors, in N, C, H, W order, and the bytes of the tensors that the op owns.
struct function_shape {
  shape in[2]{};
  shape out{};
  int parameter_bytes{};

  friend constexpr bool operator==(const function_shape&, const function_shape&) = default;
};

struct kernel_signature {
  using sizes = std::array<int, 16>;

  kernel op{};
  dtype in = dtype::none;
  dtype out = dtype::none;
  bool relu{};  // where it is optional, a relu follows (of layers on integers their clamp has it)
  joined then = joined::nothing;
  sizes size{};
  const op_info* own{};  // elementwise and function: whose functions are called

  template <class Shape>
  [[nodiscard]] constexpr Shape as() const {
    return from_block<Shape>(size);
  }

  friend constexpr bool operator==(const kernel_signature&, const kernel_signature&) = default;
};

template <fits_in<sizeof(kernel_signature::sizes)> Shape>
[[nodiscard]] constexpr kernel_signature signature(kernel op, dtype in, dtype out,
                                                   const Shape& shape, bool relu = false,
                                                   const op_info* own = nullptr) {
  return {op, in, out, relu, joined::nothing, to_block<kernel_signature::sizes>(shape), own};
}

}  // namespace ctq
