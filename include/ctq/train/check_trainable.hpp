// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "ctq/core/diagnostic.hpp"
#include "ctq/graph/graph.hpp"
#include "ctq/ops/backend_ops.hpp"
#include "ctq/spec/qconfig_mapping.hpp"

// Checks at compile time that a prepared model can be trained.

namespace ctq::training {

/// The message that something has no fake quantize, and which QConfigs have them.
///   node  the node that it belongs to
constexpr diagnostic without_fake_quantize(std::string_view what, std::string_view node) {
  diagnostic d;
  d.line("no fake quantize for ", what).line("node: ", node);
  d.line("a QConfig for training has them:");
  d.line("default_qat_qconfig_mapping,").line("fake_quantize<...>");
  return d;
}

template <class Graph>
[[nodiscard]] constexpr bool has_one_input_and_output(const Graph& g) {
  int inputs = 0;
  for (int i = 0; i < g.count; ++i) {
    inputs += g.nodes[i].op->kind == op_kind::placeholder ? 1 : 0;
    if (g.nodes[i].op->kind == op_kind::output && g.nodes[i].arg_count != 1) return false;
  }
  return inputs < 2;
}

/// Reports a batch norm whose weight and bias are constants.
template <class Graph>
[[nodiscard]] constexpr diagnostic check_norms(const Graph& traced) {
  diagnostic d;
  for (int i = 0; i < traced.count && !d.any(); ++i) {
    const auto& n = traced.nodes[i];
    if (n.op->descriptor->parameters != &descriptors::batch_norm2d_parameters ||
        n.attrs.template as<batch_norm2d_options>().affine != 0)
      continue;
    d.line("training has a weight and a bias in").line("each batch norm: .affine = true");
    d.line("node: ", n.name);
  }
  return d;
}

/// Reports several inputs or outputs, or the first node that cannot be trained: an op without a
/// gradient, one that mixes the samples of a batch, an observer that does not fake-quantize.
template <class Graph>
[[nodiscard]] constexpr diagnostic check_trainable(const Graph& g, const mapping_view& mapping) {
  diagnostic d;
  if (!has_one_input_and_output(g)) {
    d.line("training has one input and one").line("output");
    return d;
  }
  const auto& input = g.nodes[0];
  for (int i = 0; i < g.count; ++i) {
    const auto& n = g.nodes[i];
    if (n.shape.rank < 1 || n.shape[0] != input.shape[0]) {
      d.line("training adds samples along the").line("first axis, which must stay as it is");
      d.line("node: ", n.name);
      return d;
    }
    if (n.op->kind == op_kind::placeholder || n.op->kind == op_kind::output) continue;
    if (is_any_of(n.op, q::activation_post_process)) {
      if (n.observer_config->fake_quantize != fake_quantize_class::none) continue;
      return without_fake_quantize("the output of", g.nodes[g.args[n.first_arg]].name);
    }
    if (!has_gradient(*n.op->descriptor)) {
      d.line("the op has no gradient").line("node: ", n.name).line(n.op->name);
      d.line("a user op has one if it has").line("a member gradient");
      return d;
    }
    if (module_of_call(n.name).size() != n.name.size()) {
      d.line("training calls each module once").line("node: ", n.name);
      return d;
    }
    if (n.op->descriptor->is_arithmetic)
      for (int a = 0; a < n.arg_count; ++a)
        if (g.nodes[g.args[n.first_arg + a]].shape.rank != n.shape.rank) {
          d.line("training broadcasts operands with").line("as many axes as the result");
          d.line("node: ", n.name);
          return d;
        }
    if (n.op->descriptor->gradient != gradient_rule::layer || !n.choice.quantized()) continue;
    if (mapping.entries[n.choice.qconfig].qconfig.weight.fake_quantize != fake_quantize_class::none)
      continue;
    return without_fake_quantize("the weight of", n.name);
  }
  return d;
}

/// The same as a compile error.
template <class Plan>
struct trainable_check {
  static constexpr diagnostic of_norms = check_norms(Plan::traced);
  static constexpr diagnostic found =
      of_norms.any() ? of_norms : check_trainable(Plan::prepared, Plan::mapping);
  static constexpr bool bad() { return found.any(); }
  static constexpr auto message() { return found.text; }
};

}  // namespace ctq::training
