// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/op.hpp"

// All ops, one line each: identity, arguments, PyTorch's qualified name.
// nn:: modules · nni:: fused modules · fn:: functions · op:: Python operators ·
// q:: what the passes insert.

// clang-format off
namespace ctq::nn {

struct placeholder_op : op_base<placeholder_op, op_kind::placeholder, no_options> {
  static constexpr std::string_view name = "placeholder";
  consteval call<0> operator()(ctq::shape s) const { return {id(), {}, s, {}}; }
};
inline constexpr placeholder_op placeholder{};

struct output_op : op_base<output_op, op_kind::output, no_options> {
  static constexpr std::string_view name = "output";
};
inline constexpr output_op output{};

struct conv2d_op              : module_op<conv2d_op, conv2d_options> { static constexpr std::string_view name = "torch.nn.Conv2d"; };
struct linear_op              : module_op<linear_op, linear_options> { static constexpr std::string_view name = "torch.nn.Linear"; };
struct batch_norm2d_op        : module_op<batch_norm2d_op, batch_norm2d_options> { static constexpr std::string_view name = "torch.nn.BatchNorm2d"; };
struct relu_op                : module_op<relu_op, relu_options> { static constexpr std::string_view name = "torch.nn.ReLU"; };
struct max_pool2d_op          : module_op<max_pool2d_op, max_pool2d_options> { static constexpr std::string_view name = "torch.nn.MaxPool2d"; };
struct avg_pool2d_op          : module_op<avg_pool2d_op, avg_pool2d_options> { static constexpr std::string_view name = "torch.nn.AvgPool2d"; };
struct adaptive_avg_pool2d_op : module_op<adaptive_avg_pool2d_op, adaptive_avg_pool2d_options> { static constexpr std::string_view name = "torch.nn.AdaptiveAvgPool2d"; };
struct flatten_op             : module_op<flatten_op, nn_flatten_options> { static constexpr std::string_view name = "torch.nn.Flatten"; };

inline constexpr conv2d_op conv2d{};
inline constexpr linear_op linear{};
inline constexpr batch_norm2d_op batch_norm2d{};
inline constexpr relu_op relu{};
inline constexpr max_pool2d_op max_pool2d{};
inline constexpr avg_pool2d_op avg_pool2d{};
inline constexpr adaptive_avg_pool2d_op adaptive_avg_pool2d{};
inline constexpr flatten_op flatten{};

}  // namespace ctq::nn

namespace ctq::nni {

struct conv_relu2d_op    : module_op<conv_relu2d_op, conv2d_options> { static constexpr std::string_view name = "torch.ao.nn.intrinsic.ConvReLU2d"; };
struct conv_bn2d_op      : module_op<conv_bn2d_op, conv2d_options> { static constexpr std::string_view name = "torch.ao.nn.intrinsic.ConvBn2d"; };
struct conv_bn_relu2d_op : module_op<conv_bn_relu2d_op, conv2d_options> { static constexpr std::string_view name = "torch.ao.nn.intrinsic.ConvBnReLU2d"; };
struct linear_relu_op    : module_op<linear_relu_op, linear_options> { static constexpr std::string_view name = "torch.ao.nn.intrinsic.LinearReLU"; };

inline constexpr conv_relu2d_op conv_relu2d{};
inline constexpr conv_bn2d_op conv_bn2d{};
inline constexpr conv_bn_relu2d_op conv_bn_relu2d{};
inline constexpr linear_relu_op linear_relu{};

}  // namespace ctq::nni

namespace ctq::fn {

struct relu_op                : function_op<relu_op, relu_options> { static constexpr std::string_view name = "torch.nn.functional.relu"; };
struct max_pool2d_op          : function_op<max_pool2d_op, max_pool2d_options> { static constexpr std::string_view name = "torch.nn.functional.max_pool2d"; };
struct avg_pool2d_op          : function_op<avg_pool2d_op, avg_pool2d_options> { static constexpr std::string_view name = "torch._C._nn.avg_pool2d"; };
struct adaptive_avg_pool2d_op : function_op<adaptive_avg_pool2d_op, adaptive_avg_pool2d_options> { static constexpr std::string_view name = "torch.nn.functional.adaptive_avg_pool2d"; };
struct flatten_op             : function_op<flatten_op, flatten_options> { static constexpr std::string_view name = "torch.flatten"; };
struct add_op                 : binary_op<add_op> { static constexpr std::string_view name = "torch.add"; };

/// fn::cat({"a"_n, "b"_n}, {.dim = 1}): any number of tensors.
struct cat_op : function_op<cat_op, cat_options> {
  static constexpr std::string_view name = "torch.cat";
  template <std::size_t Arity>
  consteval call<Arity> operator()(const node_name (&x)[Arity], const cat_options& o = {}) const {
    call<Arity> c{id(), attributes{o}, {}, {}};
    for (std::size_t i = 0; i < Arity; ++i) c.args[i] = x[i].text;
    return c;
  }
};

inline constexpr relu_op relu{};
inline constexpr max_pool2d_op max_pool2d{};
inline constexpr avg_pool2d_op avg_pool2d{};
inline constexpr adaptive_avg_pool2d_op adaptive_avg_pool2d{};
inline constexpr flatten_op flatten{};
inline constexpr add_op add{};
inline constexpr cat_op cat{};

}  // namespace ctq::fn

namespace ctq::op {

struct add_op : binary_op<add_op> { static constexpr std::string_view name = "_operator.add"; };
inline constexpr add_op add{};

}  // namespace ctq::op

namespace ctq::q {

struct activation_post_process_op : pass_op<activation_post_process_op> { static constexpr std::string_view name = "activation_post_process"; };
struct quantize_per_tensor_op     : pass_op<quantize_per_tensor_op> { static constexpr std::string_view name = "torch.quantize_per_tensor"; };
struct dequantize_op              : pass_op<dequantize_op> { static constexpr std::string_view name = "dequantize"; };
struct requantize_op              : pass_op<requantize_op> { static constexpr std::string_view name = "requantize"; };
struct conv2d_op                  : pass_op<conv2d_op, conv2d_options> { static constexpr std::string_view name = "torch.ao.nn.quantized.Conv2d"; };
struct conv_relu2d_op             : pass_op<conv_relu2d_op, conv2d_options> { static constexpr std::string_view name = "torch.ao.nn.intrinsic.quantized.ConvReLU2d"; };
struct linear_op                  : pass_op<linear_op, linear_options> { static constexpr std::string_view name = "torch.ao.nn.quantized.Linear"; };
struct linear_relu_op             : pass_op<linear_relu_op, linear_options> { static constexpr std::string_view name = "torch.ao.nn.intrinsic.quantized.LinearReLU"; };
struct add_op                     : pass_op<add_op> { static constexpr std::string_view name = "torch.ops.quantized.add"; };
struct add_relu_op                : pass_op<add_relu_op> { static constexpr std::string_view name = "torch.ops.quantized.add_relu"; };

inline constexpr activation_post_process_op activation_post_process{};
inline constexpr quantize_per_tensor_op quantize_per_tensor{};
inline constexpr dequantize_op dequantize{};
inline constexpr requantize_op requantize{};
inline constexpr conv2d_op conv2d{};
inline constexpr conv_relu2d_op conv_relu2d{};
inline constexpr linear_op linear{};
inline constexpr linear_relu_op linear_relu{};
inline constexpr add_op add{};
inline constexpr add_relu_op add_relu{};

}  // namespace ctq::q
// clang-format on
