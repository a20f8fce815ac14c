// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/diagnostic.hpp"
#include "ctq/passes/lstm_outputs.hpp"

// Which statically quantized LSTMs compiled code does not run.

namespace ctq {

namespace checking {

/// Reports why the LSTM at i cannot be compiled, if so.
template <class Graph>
constexpr void check_lstm(const Graph& g, int i, const mapping_view& mapping, bool is_qat,
                          diagnostic& d) {
  const node& n = g.nodes[i];
  const qconfig_record& q = mapping.entries[n.choice.qconfig].qconfig;
  const int rank = g.nodes[g.args[n.first_arg]].shape.rank;
  if (is_qat) {
    d.line("compiled code does not train the").line("statically quantized LSTM ", n.name, ":");
    d.line("calibrate it, without is_qat,");
  } else if (n.op != &quantizable_lstm_class) {
    d.line("compiled code has no kernel for").line(n.op->name, ", node ", n.name, ":");
    d.line("name ctq::lstm_custom_module,").line("or run it in an evaluator,");
  } else if (q.activation.args.dtype != quint8 || q.weight.args.dtype != qint8) {
    d.line("a statically quantized LSTM has").line("activations quint8, weights qint8;");
    d.line("node ", n.name, " has ", name_of(q.activation.args.dtype), ", ",
           name_of(q.weight.args.dtype), ":");
    d.line("give it another qconfig,");
  } else if (rank != 3 && rank != 0) {  // rows of torch.fx may have no shapes
    d.line("a statically quantized LSTM reads").line("[steps, batch, features];");
    d.line("node ", n.name, " reads ", rank, " axes:").line("add one by unsqueeze,");
  } else {
    return;
  }
  d.line("or to keep it in float:").line("allow_float<", n.name, ">");
}

/// Reports a node that reads h and c of a quantized LSTM together: their scales differ.
template <class Graph>
constexpr void check_reads_of_state(const Graph& g, int i, diagnostic& d) {
  const node& n = g.nodes[i];
  if (n.op == &quantizable_lstm_class || whole_of(g, i) != i) return;
  for (int a = 0; a < n.arg_count && !d.any(); ++a) {
    const int from = g.args[n.first_arg + a];
    if (!is_whole_state(g, from)) continue;
    d.line("node ", n.name, " reads h and c together,").line("which have different scales:");
    d.line("op::getitem of ", g.nodes[from].name, " selects one");
  }
}

}  // namespace checking

/// Why a prepared graph with statically quantized LSTMs cannot be compiled.
///   of_convert  the custom modules of convert's config: without a quantized class an LSTM stays in
///               float
template <class Graph>
[[nodiscard]] constexpr diagnostic check_compiled_lstm(const Graph& prepared,
                                                       const mapping_view& mapping,
                                                       const prepare_options& o,
                                                       view<custom_module> of_convert = {}) {
  diagnostic d;
  bool is_quantized = false;  // the LSTMs of the entry for them; there is one at most
  for (int i = 0; i < prepared.count && !o.custom.custom_modules.empty() && !d.any(); ++i) {
    const node& n = prepared.nodes[i];
    const custom_module* const entry =
        n.op->kind == op_kind::module && n.choice.observed ? custom_of(o, n.op) : nullptr;
    if (gives_quantized_tuple(entry)) {
      checking::check_lstm(prepared, i, mapping, o.is_qat, d);
      is_quantized = is_quantized || converted_class(of_convert, n.op, *entry) != nullptr;
    }
    if (is_quantized && !d.any()) checking::check_reads_of_state(prepared, i, d);
  }
  return d;
}

}  // namespace ctq
