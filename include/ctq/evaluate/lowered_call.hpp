// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "ctq/core/result.hpp"
#include "ctq/core/semantics.hpp"
#include "ctq/evaluate/float_ops/call.hpp"
#include "ctq/evaluate/kernels/kernel_calls.hpp"
#include "ctq/evaluate/module_state.hpp"
#include "ctq/evaluate/node_quantizer.hpp"
#include "ctq/evaluate/node_value.hpp"
#include "ctq/evaluate/scalar_arithmetic.hpp"
#include "ctq/evaluate/user_call.hpp"
#include "ctq/graph/graph.hpp"
#include "ctq/ops/broadcast.hpp"
#include "ctq/ops/op_table.hpp"
#include "ctq/passes/fx_semantics.hpp"
#include "ctq/passes/lower/integer_forms.hpp"

// Computes ops of a lowered graph on integers, by the kernels of compiled models. An op without a
// kernel is computed by dequantize, the float op, quantize.

namespace ctq {

/// The qparams of an output that do not depend on the observer: those of the input if the op copies
/// or compares integers, or those of a known range. nullopt: those of the observer.
[[nodiscard]] inline std::optional<tensor_qparams> kernel_qparams(op_id op, dtype d,
                                                                  const quantized_tensor* in,
                                                                  semantics s) {
  if (in == nullptr) return {};
  if (lowering::copies_values(op) && copies_have_input_scale(s)) return in->qparams;
  const op_descriptor& of = *op->descriptor;
  if (known_ranges_have_their_scale(s) && has_fixed_qparams(of) && d == quint8 && op->builtin &&
      of.schedule.how == schedule_as::function) {
    const bool is_signed = of.on_integers == on_integers::from_neg1_to_1;
    return tensor_qparams_of(d, is_signed ? tanh_qparams : sigmoid_qparams);
  }
  return {};
}

namespace lowered {

/// What an integer op was before it was lowered.
struct origin {
  op_id op{};
  bool relu = false;
  bool dynamic = false;
};

/// The float op whose integer form this is; `op` is null if it is none.
[[nodiscard]] constexpr origin origin_of(op_id form) {
  if (form->kind != op_kind::pass) return {};
  for (const op_id op : naming::builtin_ops) {
    const op_descriptor& d = *op->descriptor;
    if (d.integer_form == form || d.weight_only_form == form) return {op, false, false};
    if (d.integer_relu_form == form) return {op, true, false};
    for (const op_id then : d.integer_forms_then)
      if (then == form) return {op, false, false};
    if (d.dynamic_form == form) return {op, false, true};
    if (d.dynamic_relu_form == form) return {op, true, true};
  }
  return {};
}

/// The qparams of the output of a node on integers.
///   op  the op that computes it
///   in  its first input; null if that is float
[[nodiscard]] inline result<tensor_qparams> output_qparams(const node& n, op_id op,
                                                           const quantized_tensor* in,
                                                           node_quantizer& rounding) {
  auto known = kernel_qparams(op, n.dtype, in, rounding.options().semantics);
  if (known) return *std::move(known);
  return rounding.qparams_of_observer(n.observer);
}

/// Whether the op returns its input: dropout, contiguous.
[[nodiscard]] constexpr bool returns_input(op_id op) {
  const op_descriptor& d = *op->descriptor;
  return op->builtin && (d.is_identity || (d.is_view && d.schedule.how == schedule_as::same));
}

/// Whether the op returns the elements of its first input, a tensor of integers, or moves or
/// repeats them, without another scale: then it is computed on the integers.
[[nodiscard]] inline bool moves(const node& n, op_id op, const quantized_tensor& in,
                                node_quantizer& rounding) {
  if (in.qparams.is_per_channel() || !(returns_input(op) || float_ops::moves_elements(op)))
    return false;
  const auto out = output_qparams(n, op, &in, rounding);
  return out && *out == in.qparams;
}

/// The inputs of such an op.
[[nodiscard]] inline std::vector<float_ops::value> with_integers(
    const std::vector<node_value>& reads) {
  std::vector<float_ops::value> all{reads[0].integers()->elements()};
  for (std::size_t i = 1; i < reads.size(); ++i) all.push_back(reads[i].real());
  return all;
}

/// A linear layer whose input is quantized with its own range; nullopt if no kernel computes it.
///   reads  x; of a function then the weight and the bias
[[nodiscard]] inline std::optional<float_ops::tensor> dynamic_linear(
    const node& n, const origin& from, const std::vector<node_value>& reads,
    const node_value& weight, const std::vector<float_ops::named_value>& attributes,
    node_quantizer& rounding) {
  const dtype integers = n.observer_config == nullptr ? quint8 : n.observer_config->args.dtype;
  const quantized_tensor* const w = weight.integers();
  if (w == nullptr || !from.dynamic || from.op->descriptor->layer_axes != 0 ||
      !kernels::is_int8(integers) ||
      (rounding.options().halve_dynamic_range && w->qparams.group_size == 0))
    return {};
  const float_ops::value real = reads[0].real();
  const auto* const x = real.get_if<float_ops::tensor>();
  if (x == nullptr) return {};
  float_ops::value added;
  if (from.op->kind != op_kind::module && reads.size() > 2) added = reads[2].real();
  for (const float_ops::named_value& a : attributes)
    if (a.name == "bias") added = a.given;
  const auto* const bias = added.get_if<float_ops::tensor>();
  const bool relu = from.relu || from.op->descriptor->schedule.relu;
  return rounding.kernels().dynamic_linear(*x, weight, bias, relu, integers == qint8);
}

/// The options of a call; nullopt if it has arguments that the options cannot express.
///   call  may have None in place of tensors
[[nodiscard]] inline std::optional<attributes> options_in(op_id op, float_ops::python_call call) {
  const float_ops::python_signature signature = float_ops::signature_of(op);
  const auto bound = float_ops::bind(op->name, signature, std::move(call));
  if (!bound || signature.options == nullptr) return {};
  int tensors = signature.inputs.empty() ? op->descriptor->schedule.tensors : 0;
  for (float_ops::parameter_reader p(signature); p.next();) {
    const float_ops::parameter& to = p.current();
    const float_ops::value* const v = bound->find(to.name);
    if (tensors-- > 0 || v == nullptr) continue;
    const view<option_field>& fields = signature.options->fields;
    const auto* const option = std::ranges::find(fields, to.name, &option_field::name);
    const bool is_option = option != fields.end();
    float_ops::value otherwise;
    if (is_option) {
      otherwise = float_ops::python_value(signature.options->defaults, *option);
    } else if (!to.default_text.empty()) {
      otherwise = float_ops::literal(to.default_text);
    }
    const bool is_none = v->is<float_ops::none>();
    if (is_option && option->is == option_field::type::flag && is_none) continue;  // False
    if (is_option && option->is == option_field::type::real && !is_none) {
      const auto real = float_ops::as_real(*v);  // the option is stored as a float
      if (!real || static_cast<double>(static_cast<float>(*real)) != *real) return {};
    }
    if (is_none && !otherwise.is<float_ops::none>()) return {};
    if (is_none || is_option) continue;
    const auto number = float_ops::as_real(*v);
    if (!number || number != float_ops::as_real(otherwise)) return {};
  }
  const float_ops::layer_functions none;
  float_ops::operands args(op, signature, *bound, float_ops::call, none);
  const attributes options = args.options();
  return args.failed() ? std::nullopt : std::optional{options};
}

/// The kernel that an op's descriptor schedules for inputs of these shapes, kept for the next call,
/// since binding the arguments again takes longer than a small kernel.
struct ready_step {
  op_schedule schedule{};
  kernel_signature::sizes sizes{};
  float_ops::extents out_shape{};
  std::vector<float_ops::extents> in_shapes{};  // empty: no kernel computes the op
  std::uint64_t modules{};                      // the revision of those that it was made from

  /// The output; nullopt if no kernel has these qparams.
  [[nodiscard]] std::optional<quantized_tensor> run(kernel_calls& kernels,
                                                    const std::vector<node_value>& reads,
                                                    const tensor_qparams& to) const {
    const quantized_tensor* in[2]{};
    for (std::size_t i = 0; i < reads.size(); ++i) in[i] = reads[i].integers();
    return kernels.step(schedule, sizes, {in, reads.size()}, out_shape, to);
  }

  /// Whether it was made for inputs of these shapes, and for the modules as they are.
  [[nodiscard]] bool fits(const std::vector<node_value>& reads, const module_state& state) const {
    return !in_shapes.empty() && modules == state.revision() &&
           std::ranges::equal(reads, in_shapes, [](const node_value& v, const auto& shape) {
             return v.integers() != nullptr && v.integers()->shape() == shape;
           });
  }
};

/// Whether the kernel of an op can give an output these qparams: some give it those of the input.
[[nodiscard]] inline bool can_give(const op_descriptor& d, const quantized_tensor& in,
                                   const tensor_qparams& to) {
  return d.on_integers != on_integers::input_scale || d.gives_any_scale || in.qparams == to;
}

/// Whether a kernel computes the op on integers, if it has the shapes and qparams.
[[nodiscard]] constexpr bool may_have_step(const op_descriptor& d) {
  return (d.schedule.how == schedule_as::step || d.schedule.how == schedule_as::reduction) &&
         d.weights == op_weights::none;
}

/// The step of an op; without shapes if no kernel computes it.
///   op    the op on integers
///   from  the float op whose integer form it is, or the op itself, and its call
[[nodiscard]] inline ready_step step_of(op_id op, op_id from, const std::vector<node_value>& reads,
                                        float_ops::python_call call) {
  const op_descriptor& d = *op->descriptor;
  const op_schedule& s = d.schedule;
  const auto tensors = static_cast<std::size_t>(s.tensors);
  if (!may_have_step(d) || from->descriptor->infer_shape == nullptr || reads.size() != tensors ||
      (tensors > 1 && call.positional.size() != tensors))
    return {};
  shape shapes[2];
  for (std::size_t i = 0; i < tensors; ++i) {
    const quantized_tensor* const in = reads[i].integers();
    if (in == nullptr || in->size() == 0 || in->shape().size() > max_rank) return {};
    shapes[i] = user_calls::shape_of(in->shape());
  }
  auto options = options_in(from, std::move(call));
  if (!options) return {};
  diagnostic problem;
  const shape out = from->descriptor->infer_shape({shapes, s.tensors}, *options, problem);
  if (problem.any() || !shape_rules::countable_elements(problem, out, "the output")) return {};
  const bool broadcasts = s.broadcasts && (s.broadcast == s.kernel || shapes[0] != shapes[1]);
  ready_step step{.schedule = s,
                  .sizes = broadcasts ? to_block<kernel_signature::sizes>(broadcast_sizes(
                                            shapes[0], shapes[1], out, layout::nchw))
                                      : s.sizes(*options, shapes[0], out),
                  .out_shape = {out.extent, out.extent + out.rank}};
  if (broadcasts) step.schedule.kernel = s.broadcast;
  for (const node_value& v : reads) step.in_shapes.push_back(v.integers()->shape());
  return step;
}

/// A sum or a product of integers and a number, with a scale that follows from both.
[[nodiscard]] inline node_value with_scalar(const origin& from, const quantized_tensor& in,
                                            double number) {
  const bool adds = from.op->descriptor->schedule.kernel == kernel::binary_add;
  quantized_tensor out = adds ? integer_sum(in, number) : integer_product(in, number);
  if (from.relu) out = integer_relu(std::move(out));
  return out;
}

/// The number among the arguments of a sum or a product, times alpha; nullopt if there is none, or
/// if alpha multiplies the tensor.
[[nodiscard]] inline std::optional<double> scalar_of(const float_ops::python_call& call) {
  std::optional<double> number;
  for (const float_ops::value& v : call.positional)
    if (const auto x = float_ops::as_real(v)) number = x;
  for (const float_ops::named_value& k : call.keywords) {
    const double alpha = k.name == "alpha" ? float_ops::as_real(k.given).value_or(1) : 1;
    if (alpha == 1 || !number) continue;
    if (float_ops::as_real(call.positional[0])) return {};
    *number *= alpha;
  }
  return number;
}

/// The observer whose scale the output of node i has.
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
