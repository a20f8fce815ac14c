// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ctq/core/result.hpp"
#include "ctq/graph/graph.hpp"
#include "ctq/kernels/eager/call.hpp"
#include "ctq/passes/qat_modules.hpp"
#include "ctq/runtime/decomposed_call.hpp"
#include "ctq/runtime/folded_modules.hpp"
#include "ctq/runtime/lowered_call.hpp"
#include "ctq/runtime/node_call.hpp"
#include "ctq/runtime/node_value.hpp"
#include "ctq/runtime/observer_set.hpp"

// A graph of any stage, evaluated op by op as Python does: for tests, for calibration, and to see
// where a quantized model goes wrong. Shapes are known when it runs; nothing is planned.
//
//   traced, fused   the float model
//   prepared        observes what passes by; in training rounds it, too
//   reference       float ops between values and weights that are rounded to integers; the
//                   decomposed form clamps values to the observer's range
//   lowered         integers: QNNPACK's arithmetic for linear layers and convolutions

namespace ctq {

/// What values and weights are quantized with.
struct quantizations {
  std::map<int, quantization> activations;                   // by number of the observer
  std::map<std::string, quantization, std::less<>> weights;  // by path, where not as observed
};

/// The meaning of a node that ctq has none for: a module of the user's own, a module that is
/// quantized by itself. Nothing: it has none either.
///   attributes  of its module, the weight rounded as the stage asks for
using own_meaning = std::function<std::optional<result<node_value>>(
    const node& n, const std::vector<node_value>& reads,
    const std::vector<eager::named_value>& attributes)>;

struct evaluation_options {
  ctq::semantics semantics{};
  bool halve_dynamic_range = false;  // as PyTorch does on engines other than QNNPACK
  observer_set* observers{};         // prepared: they are shown what passes by
  const quantizations* steps{};      // reference, lowered
  own_meaning own{};
};

template <stage Stage>
class evaluator {
 public:
  /// The graph and the modules must outlive the evaluator.
  evaluator(graph_view<Stage> g, const module_state& modules, evaluation_options options)
      : g_(g), modules_(modules), options_(std::move(options)) {}

  [[nodiscard]] graph_view<Stage> graph() const { return g_; }

  /// What each node gives; the last is the output.
  ///   inputs  one for each placeholder
  /// Errors  the node, and why it has no value
  [[nodiscard]] result<std::vector<node_value>> run(std::vector<node_value> inputs) const {
    std::vector<node_value> values;
    values.reserve(static_cast<std::size_t>(g_.size()));
    std::size_t next = 0;
    for (int i = 0; i < g_.size(); ++i) {
      if (g_[i].op->kind == op_kind::placeholder) {
        if (next == inputs.size()) return fail(place_of(i), "has no input");
        values.push_back(std::move(inputs[next++]));
        continue;
      }
      std::vector<node_value> reads;
      for (const int a : g_.args_of(i)) reads.push_back(values[static_cast<std::size_t>(a)]);
      result<node_value> value = run_node(i, reads);
      if (!value) return unexpected{value.error()};
      values.push_back(*std::move(value));
    }
    return values;
  }

  /// What one node gives for what it reads; it is no placeholder.
  [[nodiscard]] result<node_value> run_node(int i, const std::vector<node_value>& reads) const {
    result<node_value> value = evaluate(i, reads);
    if (!value) return fail(place_of(i), value.error().message());
    return value;
  }

  /// The weight of a node as the stage computes with it; null if it has none.
  ///   name  "weight", or one of those of a recurrent network
  /// Errors  as its observer
  [[nodiscard]] result<std::optional<quantized_tensor>> weight_of(
      const node& n, const std::string& name = "weight") const {
    auto attributes = folded_attributes(n, modules_);
    if (!attributes) return unexpected{attributes.error()};
    const eager::value* v = find(*attributes, name);
    const eager::tensor* weight = v == nullptr ? nullptr : v->get_if<eager::tensor>();
    if (weight == nullptr || n.weight == nullptr) return std::optional<quantized_tensor>{};
    const auto steps = steps_of_weight(n, name, *weight);
    if (!steps) return unexpected{steps.error()};
    if (!*steps) return std::optional<quantized_tensor>{};
    return std::optional<quantized_tensor>{quantize(*weight, **steps)};
  }

 private:
  using named_values = std::vector<eager::named_value>;

  [[nodiscard]] std::string place_of(int i) const {
    std::string text = "node ";
    append_name(text, g_[i]);
    return text;
  }

  static std::vector<eager::value> real_values(const std::vector<node_value>& reads) {
    std::vector<eager::value> out;
    for (const node_value& v : reads) out.push_back(v.real());
    return out;
  }

  static unexpected no_tensor() { return fail({}, "reads what is no tensor of real numbers"); }

  [[nodiscard]] result<node_value> evaluate(int i, const std::vector<node_value>& reads) const {
    const node& n = g_[i];
    if (n.op->kind == op_kind::output) return output(n, reads);
    if (n.op->kind == op_kind::get_attr) return attribute(n);
    if (is_any_of(n.op, q::dequantize, q::decomposed_dequantize_per_tensor,
                  q::decomposed_dequantize_per_channel))
      return node_value(reads[0].real());
    if (is_any_of(n.op, q::activation_post_process)) return observe(n, reads[0]);
    if (is_any_of(n.op, q::quantize_per_tensor, q::quantize_per_channel, q::requantize))
      return quantized(reads[0].real(), n.observer);
    if (is_any_of(n.op, q::quantize_per_tensor_dynamic, q::to_float16))
      return rounded_as_it_comes(n, reads[0]);
    if (is_any_of(n.op, q::choose_qparams, q::decomposed_quantize_per_tensor,
                  q::decomposed_quantize_per_channel))
      return decomposed_call(n, reads);
    if (const auto from = lowered::weighted_origin(n.op); from.op != nullptr)
      return weighted(i, from, reads);
    if (const auto from = lowered::binary_origin(n.op); from.op != nullptr)
      return binary(n, from, reads);
    return call(n, n.op, reads);
  }

  [[nodiscard]] result<node_value> output(const node& n,
                                          const std::vector<node_value>& reads) const {
    const bool one =
        n.row == nullptr || (n.row->args.size() == 1 && n.row->args[0].is == argument::kind::node);
    if (one) return reads[0];
    return node_value(call_of(n, real_values(reads)).positional[0]);
  }

  [[nodiscard]] result<node_value> attribute(const node& n) const {
    const eager::value* v = modules_.find(path_of(n));
    if (v == nullptr) return fail({}, "the model has no " + std::string(path_of(n)));
    return node_value(*v);
  }

  [[nodiscard]] result<node_value> observe(const node& n, const node_value& in) const {
    const eager::value v = in.real();
    const auto* x = v.get_if<eager::tensor>();
    if (x == nullptr || options_.observers == nullptr) return in;
    auto seen = options_.observers->see(n.observer, *n.app, *x);
    if (!seen) return unexpected{seen.error()};
    return node_value(*std::move(seen));
  }

  [[nodiscard]] result<quantization> steps_of(int observer) const {
    if (options_.steps != nullptr) {
      const auto found = options_.steps->activations.find(observer);
      if (found != options_.steps->activations.end()) return found->second;
    }
    return fail({}, "has no scale and zero point");
  }

  [[nodiscard]] result<node_value> quantized(const eager::value& v, int observer) const {
    const auto* x = v.get_if<eager::tensor>();
    if (x == nullptr) return no_tensor();
    const auto steps = steps_of(observer);
    if (!steps) return unexpected{steps.error()};
    return node_value(quantize(*x, *steps));
  }

  [[nodiscard]] node_value rounded_to(const observer_record* app, const eager::tensor& x) const {
    const dtype d = app == nullptr ? quint8 : app->args.dtype;
    if (!is_quantized(d)) return rounded_to_float16(x);
    return quantize(x, dynamic_quantization(x, d, options_.halve_dynamic_range));
  }

  [[nodiscard]] result<node_value> rounded_as_it_comes(const node& n, const node_value& in) const {
    const eager::value v = in.real();
    const auto* x = v.get_if<eager::tensor>();
    if (x == nullptr) return no_tensor();
    return rounded_to(n.app, *x);
  }

  /// Looks at the range of a value, or quantizes it: with what was found, else as its observer
  /// says.
  [[nodiscard]] result<node_value> decomposed_call(const node& n,
                                                   const std::vector<node_value>& reads) const {
    const eager::value v = reads[0].real();
    const auto* x = v.get_if<eager::tensor>();
    if (x == nullptr) return no_tensor();
    if (n.app == nullptr) return fail({}, "has no observer");
    const observer_args& args = n.app->args;
    if (is_any_of(n.op, q::choose_qparams)) {
      auto found = decomposed::choose_qparams(*x, args, options_.semantics);
      if (!found) return unexpected{found.error()};
      return node_value(eager::value(*std::move(found)));
    }
    const auto steps =
        reads.size() > 1 ? decomposed::steps_from(reads[1], args.dtype) : steps_of(n.observer);
    if (!steps) return unexpected{steps.error()};
    return node_value(decomposed::quantize(*x, *steps, range_of(args)));
  }

  // --- Weights ---------------------------------------------------------------------------------

  [[nodiscard]] result<std::optional<quantization>> steps_of_weight(
      const node& n, const std::string& name, const eager::tensor& weight) const {
    if (options_.steps != nullptr) {
      const auto given = options_.steps->weights.find(std::string(path_of(n)) + "." + name);
      if (given != options_.steps->weights.end()) return std::optional{given->second};
    }
    return weight_steps(*n.weight, weight, options_.semantics);
  }

  /// Rounds what the observer of the node is for: its weight, or all those of a recurrent network.
  [[nodiscard]] status round_weights(const node& n, named_values& attributes) const {
    if (n.weight == nullptr) return done{};
    for (eager::named_value& a : attributes) {
      const auto* weight = a.given.get_if<eager::tensor>();
      if (weight == nullptr || !a.name.starts_with("weight")) continue;
      if (Stage == stage::prepared) {
        if (options_.observers == nullptr) continue;
        auto seen = options_.observers->see(std::string(path_of(n)), *n.weight, *weight);
        if (!seen) return unexpected{seen.error()};
        a.given = *std::move(seen);
        continue;
      }
      const auto steps = steps_of_weight(n, a.name, *weight);
      if (!steps) return unexpected{steps.error()};
      if (*steps) a.given = rounded(*weight, **steps);
    }
    return done{};
  }

  // --- Calls -----------------------------------------------------------------------------------

  /// A float op; where its output has a dtype of integers, quantized behind it.
  [[nodiscard]] result<node_value> call(const node& n, op_id op,
                                        const std::vector<node_value>& reads) const {
    auto attributes = attributes_of(n);
    if (!attributes) return unexpected{attributes.error()};
    if (options_.own)
      if (auto own = options_.own(n, reads, *attributes)) return *std::move(own);
    auto out = float_call(n, op, real_values(reads), *std::move(attributes));
    if (!out || !is_quantized(n.dtype)) return out;
    const eager::value v = out->real();
    const auto* x = v.get_if<eager::tensor>();
    if (x == nullptr) return out;
    const quantized_tensor* const in = reads.empty() ? nullptr : reads[0].integers();
    if (in != nullptr && copies_values(op) && copies_keep_their_scale(options_.semantics))
      return node_value(quantize(*x, in->steps));
    return quantized(v, n.observer);
  }

  [[nodiscard]] result<named_values> attributes_of(const node& n) const {
    if (n.op->kind != op_kind::module && n.op->kind != op_kind::pass) return named_values{};
    auto attributes = folded_attributes(n, modules_);
    if (!attributes) return attributes;
    const status rounding = round_weights(n, *attributes);
    if (!rounding) return unexpected{rounding.error()};
    return attributes;
  }

  [[nodiscard]] result<node_value> float_call(const node& n, op_id op,
                                              std::vector<eager::value> reads,
                                              named_values attributes) const {
    eager::python_call c = call_of(n, std::move(reads));
    for (eager::named_value& a : attributes) c.attributes.push_back(std::move(a));
    const op_id was_trained = trained_module(op);
    auto out = eager::call(was_trained != nullptr ? was_trained : op, std::move(c));
    if (!out) return unexpected{out.error()};
    return node_value(*std::move(out));
  }

  [[nodiscard]] result<node_value> with_relu(result<node_value> x, bool relu) const {
    if (!x || !relu) return x;
    auto out = eager::call(fn::relu.id(), {.positional = {x->real()}});
    if (!out) return unexpected{out.error()};
    return node_value(*std::move(out));
  }

  [[nodiscard]] result<node_value> binary(const node& n, const lowered::origin& from,
                                          const std::vector<node_value>& reads) const {
    const quantized_tensor* const in = reads[0].integers();
    if (reads.size() == 1 && in != nullptr && scalars_change_the_scale(options_.semantics))
      if (const auto number = lowered::scalar_of(call_of(n, real_values(reads))))
        return lowered::with_scalar(from, *in, *number);
    const auto out = with_relu(float_call(n, from.op, real_values(reads), {}), from.relu);
    if (!out) return out;
    return quantized(out->real(), n.observer);
  }

  /// The node whose output scale holds for this call.
  [[nodiscard]] int observer_of_output(int i) const {
    int last = i;
    if (last_call_decides_the_scale(options_.semantics) && g_[i].row != nullptr &&
        !g_[i].row->target.empty())
      for (int k = i; k < g_.size(); ++k)
        if (g_[k].op == g_[i].op && path_of(g_[k]) == path_of(g_[i])) last = k;
    return g_[last].observer;
  }

  [[nodiscard]] result<node_value> weighted(int i, const lowered::origin& from,
                                            const std::vector<node_value>& reads) const {
    const node& n = g_[i];
    const bool is_module = from.op->kind == op_kind::module;
    auto attributes = is_module ? attributes_of(n) : result<named_values>(named_values{});
    if (!attributes) return unexpected{attributes.error()};
    std::vector<eager::value> real = real_values(reads);
    if (from.dynamic) {
      const auto* x = real[0].template get_if<eager::tensor>();
      if (x == nullptr) return no_tensor();
      real[0] = rounded_to(n.app, *x).real();
    }
    if (from.dynamic || !is_quantized(n.dtype))
      return with_relu(float_call(n, from.op, std::move(real), *std::move(attributes)), from.relu);

    const quantized_tensor* const in = reads[0].integers();
    auto weight =
        is_module ? weight_of(n) : result<std::optional<quantized_tensor>>(weight_among(reads));
    if (!weight) return unexpected{weight.error()};
    if (in == nullptr || !*weight) return fail({}, "reads no integers");
    const auto out = steps_of(observer_of_output(i));
    if (!out) return unexpected{out.error()};
    eager::python_call c = call_of(n, std::move(real));
    for (eager::named_value& a : *attributes) c.attributes.push_back(std::move(a));
    return lowered::weighted(from, *in, **weight, std::move(c), *out);
  }

  static std::optional<quantized_tensor> weight_among(const std::vector<node_value>& reads) {
    const quantized_tensor* const w = reads.size() < 2 ? nullptr : reads[1].integers();
    return w == nullptr ? std::nullopt : std::optional{*w};
  }

  graph_view<Stage> g_;
  const module_state& modules_;
  evaluation_options options_;
};

}  // namespace ctq
