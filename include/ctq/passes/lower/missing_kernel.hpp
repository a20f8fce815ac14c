// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/diagnostic.hpp"
#include "ctq/core/kernel_descriptors.hpp"
#include "ctq/graph/graph.hpp"
#include "ctq/spec/backend_config.hpp"
#include "ctq/spec/pattern.hpp"

// Reports ops that a lowered graph computes in float although the backend quantizes them: there is
// no kernel for them on integers.

namespace ctq {

/// Whether the backend quantizes input and output of this node. (Some ops are not observed.)
[[nodiscard]] constexpr bool is_observed(const node& n, const backend_view& backend) {
  return n.choice.quantized() && n.choice.pattern >= 0 &&
         backend.configs[n.choice.pattern].observation_for(n.arg_count) !=
             observation_type::input_output_not_observed;
}

/// Whether an op that is quantized may be computed by its float kernel, between dequantize and
/// quantize. Layers are too slow in float, and user ops should have a kernel of their own.
[[nodiscard]] constexpr bool may_run_in_float(op_id op) {
  const op_descriptor& d = *op->descriptor;
  return op->builtin && d.schedule.how != schedule_as::nothing &&
         d.weights != op_weights::quantizable;
}

/// The first node that the backend accepts and for which there is no integer kernel, or -1.
template <graph_at<stage::lowered> Graph>
[[nodiscard]] constexpr int first_without_kernel(const Graph& g, const backend_view& backend) {
  for (int i = 0; i < g.count; ++i)
    if (g.nodes[i].dtype == f32 && g.nodes[i].choice.dtype_config >= 0 &&
        g.nodes[i].op->kind != op_kind::pass && !may_run_in_float(g.nodes[i].op) &&
        is_observed(g.nodes[i], backend))
      return i;
  return -1;
}

/// The integer form of a float op, if that has another name.
[[nodiscard]] constexpr op_id integer_form(op_id op) {
  const op_descriptor& d = *op->descriptor;
  return d.integer_form != nullptr   ? d.integer_form
         : d.dynamic_form != nullptr ? d.dynamic_form
                                     : op;
}

/// Appends the signature of the missing kernel, and those that exist.
constexpr void append_missing_signature(diagnostic& d, const node& n,
                                        const dtype_config_record& config) {
  const auto name = [](const dtype_with_constraints_record& r) { return name_of(r.dtype); };
  const bool weighted = config.weight_dtype.dtype != dtype::none;
  d.line("no integer kernel for").line(integer_form(n.op)->name);
  d.line(name(config.input_dtype), weighted ? ", " : "",
         weighted ? name(config.weight_dtype) : std::string_view{}, " to ",
         name(config.output_dtype))
      .line("output shape: ");
  for (int i = 0; i < n.shape.rank; ++i) append_all(d.text, i > 0 ? "x" : "", n.shape[i]);
  d.line("integer kernels:").line();
  kernels::append_integer_kernels(d.text);
}

/// Reports a node without an integer kernel, though the backend lists its pattern.
template <graph_at<stage::lowered> Graph>
[[nodiscard]] constexpr diagnostic missing_kernel(const Graph& g, const backend_view& backend) {
  diagnostic d;
  const int bad = first_without_kernel(g, backend);
  if (bad < 0) return d;
  const node& n = g.nodes[bad];
  d.line("the QConfig cannot be honoured:").line("backend: ", backend.name);
  d.line("node: ", n.name).line("pattern: ");
  append_pattern(d.text, backend.configs[n.choice.pattern].pattern);
  append_missing_signature(d, n,
                           backend.configs[n.choice.pattern].dtype_configs[n.choice.dtype_config]);
  if (n.op->descriptor->on_integers == on_integers::where_functions)
    d.line("define static void run(...) in the op");
  return d.line("to keep it in float:").line("allow_float<", n.name, ">");
}

}  // namespace ctq
