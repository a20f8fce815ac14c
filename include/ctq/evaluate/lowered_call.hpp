// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ctq/core/result.hpp"
#include "ctq/core/semantics.hpp"
#include "ctq/evaluate/float_ops/call.hpp"
#include "ctq/evaluate/float_ops/pools.hpp"
#include "ctq/evaluate/kernel_calls.hpp"
#include "ctq/evaluate/node_value.hpp"
#include "ctq/evaluate/scalar_arithmetic.hpp"
#include "ctq/graph/graph.hpp"
#include "ctq/ops/op_table.hpp"
#include "ctq/passes/fx_semantics.hpp"

// What an op of a lowered graph gives for integers, by the kernel that a compiled model runs. An op
// without a kernel is by definition dequantize, the float op, quantize.

namespace ctq {

/// Adding or multiplying a number changes the scale, so that nothing is cut off. PyTorch does so in
/// every release, though the reference model rounds to the scale of the input (its issue: the two
/// differ without bound). ctq keeps to the reference model unless PyTorch 1.13 is asked for.
[[nodiscard]] constexpr bool scalars_change_the_scale(semantics s) {
  return s == semantics::torch_1_13;
}

/// A module that is called more than once has the output scale of its last call.
[[nodiscard]] constexpr bool last_call_decides_the_scale(semantics s) {
  return s == semantics::torch_1_13;
}

namespace lowered {

/// What an integer op was before it was lowered.
struct origin {
  op_id op{};
  bool relu = false;
  bool dynamic = false;
};

/// The float op that this one stands for; op is null if it is a form of none.
[[nodiscard]] constexpr origin origin_of(op_id form) {
  if (form->kind != op_kind::pass) return {};
  for (const op_id op : naming::builtin_ops) {
    const op_descriptor& d = *op->descriptor;
    if (d.integer_form == form) return {op, false, false};
    if (d.integer_relu_form == form) return {op, true, false};
    if (d.dynamic_form == form) return {op, false, true};
    if (d.dynamic_relu_form == form) return {op, true, true};
  }
  return {};
}

/// A linear layer or a convolution on integers; nothing if no kernel computes it.
///   call  the float op's: what it says beside the input and the weight, which may be None there
/// Errors  as the float op's arguments; a weight that is no integers
template <class Kernels>
[[nodiscard]] result<std::optional<quantized_tensor>> weighted(
    const origin& from, const quantized_tensor& in, const node_value& weight,
    float_ops::python_call call, const quantization& out, kernel_calls<Kernels>& kernels) {
  const std::string_view place = from.op->name;
  const float_ops::python_signature signature = float_ops::signature_of(from.op);
  const auto bound = float_ops::bind(place, signature, std::move(call));
  if (!bound) return unexpected{bound.error()};
  const float_ops::layer_functions none;
  float_ops::operands args(from.op, signature, *bound, float_ops::call, none);
  if (!args.require(weight.integers() != nullptr, "the weight is not quantized"))
    return args.failure();
  const float_ops::extents& shape = weight.integers()->q.shape;
  const float_ops::tensor* const bias = args.floats_or_null("bias");
  const std::vector<float>* const terms = bias == nullptr ? nullptr : &bias->data;
  const auto outputs = static_cast<std::size_t>(shape.empty() ? 0 : shape[0]);
  args.require(terms == nullptr || terms->size() == outputs, "the bias does not fit the weight");
  if (from.op->descriptor->layer_axes == 0) {
    args.require(shape.size() == 2 && !in.q.shape.empty() && in.q.shape.back() == shape[1],
                 "the input does not fit the weight");
    if (args.failed()) return args.failure();
    return kernels.linear(in, weight, terms, out, from.relu);
  }
  const int axes = float_ops::rank(shape) - 2;
  args.require(axes >= 1 && axes <= 3 && in.q.shape.size() == shape.size(),
               "the input does not fit the weight");
  window_steps w;
  if (!args.failed()) {
    w = {args.integers("stride", axes), args.integers("padding", axes),
         args.integers("dilation", axes), args.integer("groups")};
    args.require(w.groups > 0 && in.q.shape[1] == shape[1] * w.groups,
                 "the input does not fit the weight");
  }
  if (args.failed()) return args.failure();
  return kernels.convolution(in, weight, terms, w, out, from.relu);
}

/// Is it an average pool that has a kernel?
[[nodiscard]] constexpr bool averages(op_id op) {
  return is_any_of(op, nn::avg_pool2d, fn::avg_pool2d, nn::adaptive_avg_pool2d,
                   fn::adaptive_avg_pool2d);
}

/// The shape of such a pool for the kernel; nothing if it has none.
///   call  the float op's: what it says beside the input, which may be None there
[[nodiscard]] inline std::optional<pool2d_shape> average_shape(op_id op,
                                                               const float_ops::extents& in,
                                                               float_ops::python_call call) {
  const float_ops::python_signature signature = float_ops::signature_of(op);
  const auto bound = float_ops::bind(op->name, signature, std::move(call));
  if (!bound || in.size() != 4 || float_ops::numel(in) == 0) return {};
  const float_ops::layer_functions none;
  float_ops::operands args(op, signature, *bound, float_ops::call, none);
  pool2d_shape s{.batch = in[0], .in_h = in[2], .in_w = in[3], .channels = in[1]};
  if (args.has("output_size")) {
    const auto size = args.integers("output_size", 2);
    s.out_h = size[0];
    s.out_w = size[1];
    s.adaptive = 1;
  } else {
    const auto kernel = args.integers("kernel_size", 2);
    const auto stride = args.integers("stride", 2, "kernel_size");
    const auto padding = args.integers("padding", 2);
    const bool ceil_mode = args.flag("ceil_mode");
    for (std::size_t a = 0; a < 2; ++a)
      args.require(kernel[a] > 0 && stride[a] > 0 && padding[a] >= 0 && 2 * padding[a] <= kernel[a],
                   "the window does not fit");
    if (args.failed() || !args.is_none("divisor_override")) return {};
    const auto count = [&](int extent, std::size_t a) {
      return float_ops::pooling::count_windows(extent, kernel[a], stride[a], padding[a], 1,
                                               ceil_mode);
    };
    s = {.batch = s.batch,
         .in_h = s.in_h,
         .in_w = s.in_w,
         .channels = s.channels,
         .out_h = count(s.in_h, 0),
         .out_w = count(s.in_w, 1),
         .kernel_h = kernel[0],
         .kernel_w = kernel[1],
         .stride_h = stride[0],
         .stride_w = stride[1],
         .padding_h = padding[0],
         .padding_w = padding[1],
         .count_include_pad = args.flag("count_include_pad") ? 1 : 0};
  }
  if (args.failed() || s.out_h < 1 || s.out_w < 1) return {};
  return s;
}

/// Such a pool; nothing if no kernel computes it.
template <class Kernels>
[[nodiscard]] std::optional<quantized_tensor> average(op_id op, const quantized_tensor& in,
                                                      float_ops::python_call call,
                                                      const quantization& out,
                                                      kernel_calls<Kernels>& kernels) {
  const auto shape = average_shape(op, in.q.shape, std::move(call));
  return shape ? kernels.average(in, *shape, out) : std::nullopt;
}

/// A sum or a product of two tensors; nothing if no kernel computes it.
template <class Kernels>
[[nodiscard]] std::optional<quantized_tensor> of_two(const origin& from, const node_value& a,
                                                     const node_value& b, const quantization& out,
                                                     kernel_calls<Kernels>& kernels) {
  namespace descriptors = kernels::descriptors;
  if (a.integers() == nullptr || b.integers() == nullptr) return {};
  const auto call = [&]<class Descriptor>(Descriptor) {
    return kernels.template of_two<Descriptor>(*a.integers(), *b.integers(), out, from.relu);
  };
  if (is_any_of(from.op, op::mul, fn::mul)) return call(descriptors::binary_mul{});
  if (!is_any_of(from.op, op::add, fn::add)) return {};
  return call(descriptors::binary_add{});
}

/// A sum or a product of integers and a number, with a scale that follows from both.
[[nodiscard]] inline node_value with_scalar(const origin& from, const quantized_tensor& in,
                                            double number) {
  const bool adds = is_any_of(from.op, op::add, fn::add);
  quantized_tensor out = adds ? integer_add(in, number) : integer_mul(in, number);
  if (from.relu) out = integer_relu(std::move(out));
  return out;
}

/// The number among the arguments of a sum or a product, if there is just one.
[[nodiscard]] inline std::optional<double> scalar_of(const float_ops::python_call& call) {
  std::optional<double> number;
  for (const float_ops::value& v : call.positional)
    if (const auto x = float_ops::as_real(v)) number = x;
  return number;
}

/// The node whose output scale holds for this call.
template <stage Stage>
[[nodiscard]] int observer_of_output(graph_view<Stage> g, int i, semantics s) {
  int last = i;
  if (last_call_decides_the_scale(s) && g[i].row != nullptr && !g[i].row->target.empty())
    for (int k = i; k < g.size(); ++k)
      if (g[k].op == g[i].op && path_of(g[k]) == path_of(g[i])) last = k;
  return g[last].observer;
}

}  // namespace lowered

}  // namespace ctq
