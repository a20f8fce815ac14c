// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ctq/core/result.hpp"
#include "ctq/evaluate/channels_last.hpp"
#include "ctq/evaluate/dynamic_recurrent.hpp"
#include "ctq/evaluate/evaluation_options.hpp"
#include "ctq/evaluate/float_ops/call.hpp"
#include "ctq/evaluate/kernels/kernel_functions.hpp"
#include "ctq/evaluate/layer_call.hpp"
#include "ctq/evaluate/module_weights.hpp"
#include "ctq/evaluate/node_call.hpp"
#include "ctq/evaluate/node_quantizer.hpp"
#include "ctq/evaluate/node_value.hpp"
#include "ctq/evaluate/quantized_values.hpp"
#include "ctq/evaluate/user_call.hpp"
#include "ctq/graph/graph.hpp"
#include "ctq/graph/place_of.hpp"
#include "ctq/passes/qat_modules.hpp"
#include "ctq/runtime/packing/parameter_sources.hpp"

// The nodes of a graph of any stage, each evaluated by itself as its op in Python.

namespace ctq {

/// The base of evaluator: computes one node at a time. Only evaluator derives from it.
///
/// Threads, Lifetime  as evaluator
template <stage Stage>
class node_evaluator {
 public:
  [[nodiscard]] graph_view<Stage> graph() const { return g_; }

  /// The output of one node for its inputs; not for placeholders.
  [[nodiscard]] result<node_value> run_node(int i, const std::vector<node_value>& reads) {
    if (!has_kernels_) return unexpected{has_kernels_.error()};
    result<node_value> value = evaluate(i, reads);
    if (!value) return fail(place_of(g_[i]), value.error().message());
    return value;
  }

  /// The weight of a node as the stage computes with it; null if it has none.
  ///   name  "weight", or one of those of a recurrent network
  /// Errors  as its observer
  [[nodiscard]] result<std::optional<quantized_tensor>> weight_of(
      const node& n, const std::string& name = "weight") {
    auto attributes = weights_.folded(n);
    if (!attributes) return unexpected{attributes.error()};
    const auto weight = weights_.integers(n, name, *attributes);
    if (!weight) return unexpected{weight.error()};
    const quantized_tensor* const integers = weight->integers();
    return integers == nullptr ? std::nullopt : std::optional{*integers};
  }

 protected:
  ///   kernels  or why there are none, which run_node reports
  node_evaluator(graph_view<Stage> g, const module_state& modules,
                 const result<kernel_functions>& kernels, evaluation_options options)
      : g_(g),
        modules_(modules),
        rounding_(kernels ? *kernels : kernel_functions{}, std::move(options)),
        weights_(modules, rounding_.options().qparams, rounding_.options().semantics) {
    if (!kernels) has_kernels_ = unexpected{kernels.error()};
    if constexpr (Stage == stage::lowered)
      for (int i = 0; i < g.size(); ++i) kept_.push_back({lowered::origin_of(g[i].op), {}, {}});
  }

 private:
  using named_values = std::vector<float_ops::named_value>;

  [[nodiscard]] const evaluation_options& options() const { return rounding_.options(); }

  [[nodiscard]] result<node_value> evaluate(int i, const std::vector<node_value>& reads) {
    const node& n = g_[i];
    if (n.op->kind == op_kind::output) return output_of(n, reads);
    if (n.op->kind == op_kind::get_attr) return attribute(n);
    if (is_any_of(n.op, q::dequantize, q::decomposed_dequantize_per_tensor,
                  q::decomposed_dequantize_per_channel))
      return node_value(rounding_.dequantized(reads[0]));
    if (is_any_of(n.op, op::getitem) && reads[0].items() != nullptr) return item_of(n, reads[0]);
    if (is_any_of(n.op, q::activation_post_process))
      return rounding_.observe(n, g_.arg(i, 0), reads[0]);
    if (is_any_of(n.op, q::quantize_per_tensor, q::quantize_per_channel, q::requantize))
      return g_.arg(i, 0).op->kind == op_kind::get_attr
                 ? rounding_.quantized_attribute(reads[0].real(), n.observer)
                 : rounding_.quantized(reads[0].real(), n.observer);
    if (is_any_of(n.op, q::quantize_per_tensor_dynamic, q::to_float16))
      return rounding_.dynamically_quantized(n.observer_config, reads[0]);
    if (is_any_of(n.op, q::choose_qparams, q::decomposed_quantize_per_tensor,
                  q::decomposed_quantize_per_channel))
      return rounding_.decomposed(n, reads);
    if constexpr (Stage == stage::lowered) {
      const lowered::origin& from = kept_[static_cast<std::size_t>(i)].from;
      if (from.op != nullptr && from.op->descriptor->weights != op_weights::none)
        return weighted(i, from, reads);
      if (lowered::is_transposed(n)) return weighted(i, {.op = n.op}, reads);
      if (auto out = scheduled(i, reads)) return node_value(*std::move(out));
      if (from.op != nullptr) return binary(n, from, reads);
      auto out = call(n, n.op, reads);
      const bool mixes = clamp_ignores_channels_last(options().semantics);
      return out && mixes && clamps_channels_last(g_, i) ? with_channels_mixed_up(*out) : out;
    } else {
      return call(n, n.op, reads);
    }
  }

  [[nodiscard]] result<node_value> attribute(const node& n) const {
    const float_ops::value* v = modules_.find(path_of(n));
    if (v == nullptr) return fail({}, "the model has no " + std::string(path_of(n)));
    result<node_value> found{node_value{}};  // g++ 12 takes a temporary of *v for uninitialized
    *found = *v;
    return found;
  }

  /// A float op; its output is quantized if it has an integer dtype.
  [[nodiscard]] result<node_value> call(const node& n, op_id op,
                                        const std::vector<node_value>& reads) {
    auto attributes = attributes_of(n);
    if (!attributes) return unexpected{attributes.error()};
    if (options().implementation)
      if (auto out = options().implementation(n, reads, *attributes)) return *std::move(out);
    const quantized_tensor* const in = reads.empty() ? nullptr : reads[0].integers();
    if (in != nullptr && is_quantized(n.dtype) && lowered::moves(n, op, *in, rounding_)) {
      if (lowered::returns_input(op)) return reads[0];
      const auto out = float_call(n, op, lowered::with_integers(reads), *std::move(attributes));
      return out ? node_value(quantized_tensor(in->qparams, out->real())) : out;
    }
    const bool by_table = !rounding_.kernels().are_reference() && is_quantized(n.dtype) &&
                          quantized_values::has_table(op, reads);
    auto out = float_call(n, op, by_table ? quantized_values::floats(*in) : real_values(reads),
                          *std::move(attributes));
    const float_ops::value v = out ? out->real() : float_ops::value{};
    if (!is_quantized(n.dtype) || !v.template is<float_ops::tensor>()) return out;
    const auto qparams = lowered::output_qparams(n, op, in, rounding_);
    if (!qparams) return unexpected{qparams.error()};
    auto integers = rounding_.quantized(v, *qparams);
    return by_table ? quantized_values::looked_up(std::move(integers), *in) : integers;
  }

  /// An op without weights on integers; nullopt if no kernel computes it.
  [[nodiscard]] std::optional<quantized_tensor> scheduled(int i,
                                                          const std::vector<node_value>& reads) {
    const node& n = g_[i];
    const quantized_tensor* const in = reads.empty() ? nullptr : reads[0].integers();
    if (!is_quantized(n.dtype) || in == nullptr || !lowered::may_have_step(*n.op->descriptor))
      return {};
    const auto out = lowered::output_qparams(n, n.op, in, rounding_);
    if (!out || !lowered::can_give(*n.op->descriptor, *in, *out)) return {};
    auto& [from, layer, step] = kept_[static_cast<std::size_t>(i)];
    if (!step.fits(reads, modules_)) {
      const auto attributes = attributes_of(n);
      if (!attributes) return {};
      float_ops::python_call c = call_of(n, std::vector<float_ops::value>(reads.size()));
      c.attributes.insert(c.attributes.end(), attributes->begin(), attributes->end());
      step = lowered::step_of(n.op, from.op == nullptr ? n.op : from.op, reads, std::move(c));
      if (step.in_shapes.empty()) return {};
      step.modules = modules_.revision();
    }
    return step.run(rounding_.kernels(), reads, *out);
  }

  [[nodiscard]] result<named_values> attributes_of(const node& n) {
    if (n.op->kind != op_kind::module && n.op->kind != op_kind::pass) return named_values{};
    auto attributes = weights_.folded(n);
    if (!attributes) return attributes;
    const bool in_half = n.op->kind == op_kind::pass && quantizing::is_in_half(n);
    const status rounding = Stage == stage::prepared
                                ? weights_.observe(n, *attributes, options().observers)
                            : in_half ? weights_.round_to_half(n, *attributes)
                                      : weights_.round(n, *attributes);
    if (!rounding) return unexpected{rounding.error()};
    append_following(n, modules_, *attributes);
    return attributes;
  }

  [[nodiscard]] result<node_value> float_call(const node& n, op_id op,
                                              std::vector<float_ops::value> reads,
                                              named_values attributes) {
    if (!op->builtin && has_functions(op)) return user_call(n, reads, std::move(attributes));
    float_ops::python_call c = call_of(n, std::move(reads));
    for (float_ops::named_value& a : attributes) c.attributes.push_back(std::move(a));
    const op_id was_trained = op->descriptor->float_form;
    auto out = float_ops::call(was_trained != nullptr ? was_trained : op, std::move(c),
                               rounding_.kernels().float_layers(Stage == stage::lowered));
    if (!out) return unexpected{out.error()};
    return node_value(*std::move(out));
  }

  [[nodiscard]] result<node_value> with_relu(result<node_value> x, bool relu) {
    if (!x || !relu) return x;
    auto out = float_ops::call(fn::relu.id(), {.positional = {x->real()}});
    if (!out) return unexpected{out.error()};
    return node_value(*std::move(out));
  }

  [[nodiscard]] result<node_value> binary(const node& n, const lowered::origin& from,
                                          const std::vector<node_value>& reads) {
    const quantized_tensor* const in = reads[0].integers();
    if (reads.size() == 1 && in != nullptr && scalars_change_the_scale(options().semantics))
      if (const auto number = lowered::scalar_of(call_of(n, {float_ops::value()})))
        return lowered::with_scalar(from, *in, *number);
    const auto qparams = rounding_.qparams_of_observer(n.observer);
    if (!qparams) return unexpected{qparams.error()};
    const auto out = with_relu(float_call(n, from.op, real_values(reads), {}), from.relu);
    if (!out) return out;
    return rounding_.quantized(out->real(), n.observer);
  }

  [[nodiscard]] result<node_value> weighted(int i, const lowered::origin& from,
                                            const std::vector<node_value>& reads) {
    const node& n = g_[i];
    if (!from.dynamic && !is_quantized(n.dtype)) return weighted_in_float(n, from, reads);
    const quantized_tensor* const in = reads[0].integers();
    const auto out =
        rounding_.qparams_of_observer(lowered::observer_of_output(g_, i, options().semantics));
    lowered::ready_layer& ready = kept_[static_cast<std::size_t>(i)].layer;
    if (in != nullptr && out && ready.computes(*in, *out, modules_))
      return node_value(ready.run(rounding_.kernels(), *in));
    auto attributes = from.op->kind == op_kind::module ? weights_.folded(n)
                                                       : result<named_values>(named_values{});
    if (!attributes) return unexpected{attributes.error()};
    auto weight = from.op->kind == op_kind::module
                      ? weights_.integers(n, "weight", *attributes)
                      : result<node_value>(reads.size() < 2 ? node_value() : reads[1]);
    if (!weight) return unexpected{weight.error()};
    if (auto out = lowered::dynamic_linear(n, from, reads, *weight, *attributes, rounding_))
      return lowered::followed(n, *std::move(out), reads, modules_);
    if (from.dynamic) {
      auto by_kernel = lowered::dynamic_recurrent(n, from.op, call_of(n, real_values(reads)),
                                                  *std::move(attributes), weights_, rounding_);
      if (!by_kernel) return unexpected{by_kernel.error()};
      return *by_kernel ? **std::move(by_kernel) : weighted_in_float(n, from, reads);
    }
    if (in == nullptr || weight->integers() == nullptr) return fail({}, "reads no integers");
    if (!out) return unexpected{out.error()};
    std::vector<float_ops::value> real;  // integers are not dequantized
    for (const node_value& v : reads)
      real.push_back(v.integers() == nullptr ? v.real() : float_ops::value());
    float_ops::python_call c = call_of(n, std::move(real));
    for (float_ops::named_value& a : *attributes) c.attributes.push_back(std::move(a));
    auto by_kernel = lowered::layer_by_kernel(n, from, *in, *weight, std::move(c), reads, modules_,
                                              *out, rounding_.kernels(), ready);
    if (!by_kernel) return unexpected{by_kernel.error()};
    if (*by_kernel) return **std::move(by_kernel);
    const auto floats = weighted_in_float(n, from, reads);
    return floats ? rounding_.quantized(floats->real(), *out) : floats;
  }

  [[nodiscard]] result<node_value> weighted_in_float(const node& n, const lowered::origin& from,
                                                     const std::vector<node_value>& reads) {
    const bool is_module = from.op->kind == op_kind::module;
    auto attributes = is_module ? attributes_of(n) : result<named_values>(named_values{});
    if (!attributes) return unexpected{attributes.error()};
    std::vector<float_ops::value> real = real_values(reads);
    if (from.dynamic && quantizing::is_in_half(n)) {
      if (!is_module && real.size() > 1) real[1] = weights_.in_half(n, "weight", real[1]);
    } else if (from.dynamic) {
      const auto rounded = rounding_.dynamically_quantized(n.observer_config, reads[0]);
      if (!rounded) return rounded;
      real[0] = rounded->real();
    }
    return with_relu(float_call(n, from.op, std::move(real), *std::move(attributes)), from.relu);
  }

  struct kept_of_node {
    lowered::origin from{};
    lowered::ready_layer layer{};
    lowered::ready_step step{};
  };

  graph_view<Stage> g_;
  const module_state& modules_;
  status has_kernels_ = done{};
  node_quantizer rounding_;
  module_weights weights_;
  std::vector<kept_of_node> kept_;  // of a lowered graph
};

}  // namespace ctq
