// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/ops.hpp"
#include "ctq/graph/graph.hpp"
#include "ctq/spec/backend_config.hpp"

// Lowering: dequantize -> float op -> quantize becomes one op on integers. A float op that is not
// between the two stays as it is.

namespace ctq {

namespace lowering {

/// One op, or an op and the relu behind it, that can be computed on integers.
struct quantized_op {
  int node = -1;  // of the reference graph; its arguments are the quantized op's
  int relu = -1;  // a relu that goes into it
  op_id op{};
};

/// The integer form of a weighted module.
constexpr op_id weighted_op(op_id op, bool relu) {
  if (is_any_of(op, nn::conv2d)) return relu ? q::conv_relu2d.id() : q::conv2d.id();
  if (is_any_of(op, nni::conv_relu2d)) return q::conv_relu2d.id();
  if (is_any_of(op, nn::linear)) return relu ? q::linear_relu.id() : q::linear.id();
  if (is_any_of(op, nni::linear_relu)) return q::linear_relu.id();
  return nullptr;
}

/// Ops that move or compare values, and pools: they keep their name on integers.
constexpr bool runs_on_integers(op_id op) {
  return is_any_of(op, nn::relu, fn::relu, nn::max_pool2d, fn::max_pool2d, nn::avg_pool2d,
                   fn::avg_pool2d, nn::adaptive_avg_pool2d, fn::adaptive_avg_pool2d, nn::flatten,
                   fn::flatten, fn::cat);
}

/// Ops that only copy or compare steps, so their input must have the output's qparams already.
constexpr bool keeps_steps(op_id op) {
  return is_any_of(op, nn::max_pool2d, fn::max_pool2d, nn::flatten, fn::flatten, fn::cat);
}

constexpr op_id integer_op(op_id op, bool relu) {
  if (is_any_of(op, op::add, fn::add)) return relu ? q::add_relu.id() : q::add.id();
  if (const op_id weighted = weighted_op(op, relu)) return weighted;
  return !relu && runs_on_integers(op) ? op : nullptr;
}

class rewrite {
 public:
  constexpr explicit rewrite(graph_view<stage::reference> g)
      : g_(g),
        users_(count_users(g)),
        absorbed_(g.size(), false),
        op_(g.size()),
        moved_(g.size(), -1) {
    for (int i = 0; i < g.size(); ++i)
      if (is_any_of(g[i].op, q::quantize_per_tensor)) find_op(i);
  }

  [[nodiscard]] constexpr dynamic_graph<stage::lowered> graph() {
    dynamic_graph<stage::lowered> out;
    out.observers = g_.observers;
    const list<bool> needed = needed_nodes();
    int kept = 0;
    for (int i = 0; i < g_.size(); ++i) kept += needed[i] && !absorbed_[i] ? 1 : 0;
    out.reserve(kept, g_.arg_total());
    for (int i = 0; i < g_.size(); ++i) {
      if (absorbed_[i] || !needed[i]) continue;
      const quantized_op& q = op_[i];
      moved_[i] = q.node >= 0 ? emit_integer(out, i, q) : emit_as_it_is(out, i);
    }
    return out;
  }

 private:
  [[nodiscard]] constexpr bool all_dequantized(int i) const {
    for (const int a : g_.args_of(i))
      if (!is_any_of(g_[a].op, q::dequantize)) return false;
    return g_[i].arg_count > 0;
  }

  /// The integer form of the op at x, whose value the quantize at i reads.
  [[nodiscard]] constexpr op_id form_of(int x, int i) const {
    const op_hooks* const own = g_[x].op->hooks;
    if (own == nullptr) return integer_op(g_[x].op, false);
    if (!own->has_integer_form(g_[i].dtype)) return nullptr;
    for (const int a : g_.args_of(x))
      if (g_.arg(a, 0).dtype != g_[i].dtype) return nullptr;
    return g_[x].op;
  }

  /// What stands before the quantize at i: an op, or an op and a relu.
  constexpr void find_op(int i) {
    const int x = g_.args_of(i)[0];
    if (users_[x] != 1 || !g_[x].choice.quantized()) return;
    if (is_any_of(g_[x].op, nn::relu, fn::relu)) {
      const int inner = g_.args_of(x)[0];
      const op_id op = integer_op(g_[inner].op, true);
      if (op != nullptr && users_[inner] == 1 && g_[inner].choice.quantized() &&
          all_dequantized(inner)) {
        op_[i] = {inner, x, op};
        absorbed_[inner] = absorbed_[x] = true;
        return;
      }
    }
    if (!all_dequantized(x)) return;
    const op_id op = form_of(x, i);
    if (op == nullptr) return;
    op_[i] = {x, -1, op};
    absorbed_[x] = true;
  }

  /// Nodes that something still reads once integer ops read the quantized values directly.
  [[nodiscard]] constexpr list<bool> needed_nodes() const {
    list<bool> needed(g_.size(), false);
    for (int i = g_.size() - 1; i >= 0; --i) {
      const op_kind kind = g_[i].op->kind;
      if (kind == op_kind::output || kind == op_kind::placeholder) needed[i] = true;
      if (!needed[i]) continue;
      const quantized_op& q = op_[i];
      for (const int a : g_.args_of(q.node >= 0 ? q.node : i))
        needed[q.node >= 0 ? g_.args_of(a)[0] : a] = true;
    }
    return needed;
  }

  constexpr int emit_as_it_is(dynamic_graph<stage::lowered>& out, int i) const {
    list<int> args;
    for (const int a : g_.args_of(i)) args.push_back(moved_[a]);
    return out.add(g_[i], args);
  }

  constexpr int emit_integer(dynamic_graph<stage::lowered>& out, int i, const quantized_op& q) {
    list<int> args;
    for (const int dequantize : g_.args_of(q.node)) {
      const int quantized = g_.args_of(dequantize)[0];
      int arg = moved_[quantized];
      if (keeps_steps(q.op) && g_[quantized].observer != g_[i].observer) {
        arg = out.add(g_[i], arg);
        node& same_steps = out.nodes.back();
        same_steps.op = q::requantize.id();
        same_steps.name = q::requantize.name;
        same_steps.number = requantizes_++;
        same_steps.shape = g_[quantized].shape;
      }
      args.push_back(arg);
    }
    const int added = out.add(g_[q.node], args);
    node& n = out.nodes.back();
    n.op = q.op;
    n.dtype = g_[i].dtype;
    n.observer = g_[i].observer;
    return added;
  }

  graph_view<stage::reference> g_;
  list<int> users_;
  list<bool> absorbed_;
  list<quantized_op> op_;  // by quantize node
  list<int> moved_;
  int requantizes_ = 0;
};

}  // namespace lowering

/// Does the backend want integers on both sides of this node? (Of some ops it observes nothing.)
[[nodiscard]] constexpr bool is_observed(const node& n, const backend_view& backend) {
  return n.choice.quantized() && backend.configs[n.choice.pattern].observation_for(n.arg_count) !=
                                     observation_type::input_output_not_observed;
}

/// The first node that the backend accepted and no kernel runs on integers, or -1.
[[nodiscard]] constexpr int first_without_kernel(graph_view<stage::lowered> g,
                                                 const backend_view& backend) {
  for (int i = 0; i < g.size(); ++i)
    if (g[i].op->kind != op_kind::pass && g[i].dtype == f32 && is_observed(g[i], backend)) return i;
  return -1;
}

[[nodiscard]] constexpr dynamic_graph<stage::lowered> lower(graph_view<stage::reference> g) {
  return lowering::rewrite{g}.graph();
}

/// Says which node has no integer kernel, though the backend lists its pattern.
[[nodiscard]] constexpr diagnostic missing_kernel(graph_view<stage::lowered> g,
                                                  const backend_view& backend) {
  diagnostic d;
  const int bad = first_without_kernel(g, backend);
  if (bad < 0) return d;
  const node& n = g[bad];
  d.line("the QConfig cannot be honoured:").line("backend: ", backend.name);
  d.line("node: ", n.name).line("pattern: ");
  append_pattern(d.text, backend.configs[n.choice.pattern].pattern);
  d.line("no integer kernel for").line(n.op->name);
  if (n.op->hooks != nullptr) d.line("define: static void run(...)");
  return d.line("to mean it: allow_float<", n.name, ">");
}

}  // namespace ctq
