// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "ctq/core/result.hpp"
#include "ctq/core/shapes/window_shapes.hpp"
#include "ctq/evaluate/float_ops/call.hpp"
#include "ctq/evaluate/following_options.hpp"
#include "ctq/evaluate/kernels/kernel_calls.hpp"
#include "ctq/evaluate/kernels/layer_shape.hpp"
#include "ctq/evaluate/lowered_call.hpp"
#include "ctq/evaluate/module_state.hpp"
#include "ctq/evaluate/node_value.hpp"
#include "ctq/graph/node.hpp"

// Layers of a lowered graph on integers, computed by the kernels of compiled models, and the op
// that follows in float before the output is quantized.

namespace ctq::lowered {

/// Whether a node is a transposed convolution on integers, which has the name of the float op.
[[nodiscard]] inline bool is_transposed(const node& n) {
  const op_descriptor& d = *n.op->descriptor;
  return d.is_transposed && is_quantized(n.dtype) && (n.weight != nullptr || d.weight_position > 0);
}

/// The layer of a fused module whose second part computes in float.
[[nodiscard]] constexpr op_id layer_of(op_id op) {
  const op_descriptor& d = *op->descriptor;
  if (d.schedule.how != schedule_as::layer || op->kind != op_kind::module) return op;
  return d.fused_of[0] != nullptr ? d.fused_of[0] : nn::conv2d.id();
}

/// A transposed convolution on integers; nullopt if no kernel computes it.
///   args     the call of the float op
///   terms    the bias, or null
///   compute  as in weighted
template <class Compute>
[[nodiscard]] auto transposed(const quantized_tensor& in, const node_value& weight,
                              float_ops::operands& args, const std::vector<float>* terms,
                              const Compute& compute)
    -> result<decltype(compute(std::optional<transposed_layer_shape>(), terms))> {
  using outcome = decltype(compute(std::optional<transposed_layer_shape>(), terms));
  const float_ops::extents& shape = weight.integers()->shape();
  const int axes = float_ops::rank(shape) - 2;
  const bool has_size = args.has("output_size") && !args.is_none("output_size");
  if (axes < 1 || axes > 3 || in.shape().size() != shape.size() || has_size)
    return outcome();  // the float op computes it, or reports the mistake
  const window_steps w{args.integers("stride", axes), args.integers("padding", axes),
                       args.integers("dilation", axes), args.integer("groups")};
  const std::vector<int> output_padding = args.integers("output_padding", axes);
  if (args.failed()) return args.failure();
  const auto of_layer = [&](const auto& layer) {
    if (!layer || (terms != nullptr && static_cast<int>(terms->size()) != layer->out[1]))
      return outcome();
    return compute(layer, terms);
  };
  if (axes == 3) return of_layer(conv_transpose3d_layer(in.shape(), shape, w, output_padding));
  return of_layer(transposed_convolution_layer(in.shape(), shape, w, output_padding));
}

/// A linear layer or a convolution on integers; nullopt if no kernel computes it.
///   call     the float op's: its arguments; None in place of the input and the weight is allowed
///   compute  (std::optional of a layer_shape_of, the bias or null)
/// Errors  wrong arguments, as the float op reports them; a weight that is not quantized
template <class Compute>
[[nodiscard]] auto weighted(op_id op, const quantized_tensor& in, const node_value& weight,
                            float_ops::python_call call, const Compute& compute)
    -> result<decltype(compute(std::optional<layer_shape>(), nullptr))> {
  const std::string_view place = op->name;
  const float_ops::python_signature signature = float_ops::signature_of(op);
  const auto bound = float_ops::bind(place, signature, std::move(call));
  if (!bound) return unexpected{bound.error()};
  const float_ops::layer_functions none;
  float_ops::operands args(op, signature, *bound, float_ops::call, none);
  if (!args.require(weight.integers() != nullptr, "the weight is not quantized"))
    return args.failure();
  const float_ops::extents& shape = weight.integers()->shape();
  const float_ops::tensor* const bias = args.floats_or_null("bias");
  const std::vector<float>* const terms = bias == nullptr ? nullptr : &bias->data;
  if (op->descriptor->is_transposed) return transposed(in, weight, args, terms, compute);
  const auto outputs = static_cast<std::size_t>(shape.empty() ? 0 : shape[0]);
  args.require(terms == nullptr || terms->size() == outputs, "the bias does not fit the weight");
  if (op->descriptor->layer_axes == 0) {
    args.require(shape.size() == 2 && !in.shape().empty() && in.shape().back() == shape[1],
                 "the input does not fit the weight");
    if (args.failed()) return args.failure();
    return compute(linear_layer(in.shape(), shape), terms);
  }
  const int axes = float_ops::rank(shape) - 2;
  args.require(axes >= 1 && axes <= 3 && in.shape().size() == shape.size(),
               "the input does not fit the weight");
  window_steps w;
  if (!args.failed()) {
    auto o = float_ops::implementation::convolution_options_of(args, shape);
    const bool is_symmetric = o.padding_end.empty() || o.padding_end == o.padding;
    if (!args.failed() && !is_symmetric) return compute(std::optional<layer_shape>(), terms);
    w = {std::move(o.stride), std::move(o.padding), std::move(o.dilation), o.groups};
    args.require(w.groups > 0 && in.shape()[1] == shape[1] * w.groups,
                 "the input does not fit the weight");
  }
  if (args.failed()) return args.failure();
  if (axes == 3) return compute(conv3d_layer(in.shape(), shape, w), terms);
  return compute(convolution_layer(in.shape(), shape, w), terms);
}

/// The float output of a layer before it is quantized, for layers that an op can follow.
template <class Sizes>
[[nodiscard]] std::optional<float_ops::tensor> layer_in_float(
    const std::optional<layer_shape_of<Sizes>>& s, const quantized_tensor& in,
    const node_value& weight, const std::vector<float>* bias, kernel_calls& kernels) {
  if constexpr (std::is_same_v<Sizes, conv2d_shape>) {
    return kernels.layer_in_float(s, in, weight, bias);
  } else {
    return {};
  }
}

/// Applies the op that follows the layer of a node to `sums`, the float outputs of the layer, or
/// adds a tensor to them; without either returns them unchanged.
///   reads  those of the node
[[nodiscard]] inline result<node_value> followed(const node& n, float_ops::tensor sums,
                                                 const std::vector<node_value>& reads,
                                                 const module_state& modules) {
  const op_schedule& s = n.op->descriptor->schedule;
  if (s.how != schedule_as::layer) return node_value(float_ops::value(std::move(sums)));
  if (s.then != nullptr && s.then_by == kernel::tanh) {
    kernels::reference::tanh({static_cast<int>(sums.data.size())}, sums.data.data(),
                             sums.data.data());
    return node_value(float_ops::value(std::move(sums)));
  }
  float_ops::python_call c{.positional = {std::move(sums)}};
  if (s.then == nullptr) {
    c.positional.push_back(reads[1].real());
  } else {
    c.attributes = following_attributes(n, modules);
  }
  auto out = float_ops::call(s.then == nullptr ? op::add.id() : s.then, std::move(c));
  if (out && s.relu) out = float_ops::call(fn::relu.id(), {.positional = {*std::move(out)}});
  if (!out) return unexpected{out.error()};
  return node_value(*std::move(out));
}

/// The layer of a node, cached from its last call, since binding its arguments again takes longer
/// than a small layer.
struct ready_layer {
  float_ops::extents in_shape{};
  tensor_qparams in{}, out{};
  std::uint64_t modules{};  // their revision
  kernel_calls::integer_layer run{};

  [[nodiscard]] bool computes(const quantized_tensor& x, const tensor_qparams& to,
                              const module_state& state) const {
    return run && modules == state.revision() && in_shape == x.shape() && in == x.qparams &&
           out == to;
  }
};

/// A layer on integers, with the op that follows; nullopt if no kernel computes it.
///   in, weight  integers
///   reads       those of the node
///   call        its call, with None in place of integers
///   kept        receives the layer for the next call, if it is a module that no op follows
/// Errors  as weighted; those of the op that follows
[[nodiscard]] inline result<std::optional<node_value>> layer_by_kernel(
    const node& n, const origin& from, const quantized_tensor& in, const node_value& weight,
    float_ops::python_call call, const std::vector<node_value>& reads, const module_state& modules,
    const tensor_qparams& to, kernel_calls& kernels, ready_layer& kept) {
  using outcome = std::optional<node_value>;
  if (n.op->descriptor->schedule.how != schedule_as::layer) {
    auto layer = weighted(from.op, in, weight, std::move(call),
                          [&](const auto& shape, const std::vector<float>* bias) {
                            return kernels.layer(shape, in.qparams, weight, bias, to, from.relu);
                          });
    if (!layer) return unexpected{layer.error()};
    if (!*layer) return outcome();
    if (from.op->kind != op_kind::module)  // its weight is an input, another one next time
      return outcome(node_value((*layer)(kernels, in)));
    kept = {in.shape(), in.qparams, to, modules.revision(), *std::move(layer)};
    return outcome(node_value(kept.run(kernels, in)));
  }
  if (from.op->kind == op_kind::module && call.positional.size() > 1) call.positional.resize(1);
  auto sums = weighted(layer_of(from.op), in, weight, std::move(call),
                       [&](const auto& layer, const std::vector<float>* bias) {
                         return layer_in_float(layer, in, weight, bias, kernels);
                       });
  if (!sums) return unexpected{sums.error()};
  if (!*sums) return outcome();
  const auto floats = followed(n, **std::move(sums), reads, modules);
  if (!floats) return unexpected{floats.error()};
  const float_ops::value v = floats->real();
  return outcome(node_value(kernels.quantize(*v.get_if<float_ops::tensor>(), to)));
}

}  // namespace ctq::lowered
