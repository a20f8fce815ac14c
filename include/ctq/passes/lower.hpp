// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/ops.hpp"
#include "ctq/graph/argument_places.hpp"
#include "ctq/graph/graph.hpp"
#include "ctq/passes/fx_semantics.hpp"
#include "ctq/passes/lowered_ops.hpp"
#include "ctq/spec/backend_config.hpp"

// Lowering: dequantize -> float op -> quantize becomes one op on integers; what reads a value that
// is quantized as it comes, or a quantized weight alone, does that itself. A float op that is in
// none of these places stays as it is.

namespace ctq {

struct lower_options {
  ctq::semantics semantics{};
  bool only_with_kernels = true;  // an op that no compiled kernel runs on integers stays in float
};

namespace lowering {

/// Ops that only copy or compare steps, so their input must have the output's qparams already.
constexpr bool keeps_steps(op_id op) {
  return copies_values(op) && elementwise_tensors(op) == 0 &&
         !is_any_of(op, nn::relu, fn::relu, method::relu, nn::avg_pool2d, fn::avg_pool2d,
                    nn::adaptive_avg_pool2d, fn::adaptive_avg_pool2d);
}

/// One op, or an op and the relu behind it, that can be computed on integers.
struct quantized_op {
  int node = -1;  // of the reference graph; its arguments are the quantized op's
  int relu = -1;  // a relu that goes into it
  op_id op{};
  bool is_dynamic = false;  // the first argument is read in float
};

class rewrite {
 public:
  constexpr rewrite(graph_view<stage::reference> g, const lower_options& o)
      : g_(g),
        semantics_(o.semantics),
        only_with_kernels_(o.only_with_kernels),
        users_(count_users(g)),
        absorbed_(g.size(), false),
        op_(g.size()),
        moved_(g.size(), -1) {
    for (int i = 0; i < g.size(); ++i) {
      if (is_any_of(g[i].op, q::quantize_per_tensor, q::to_float16)) find_op(i);
      if (g[i].weight != nullptr) find_weight_only(i);
    }
    // From the end, so that a relu is seen before what it follows.
    for (int i = g.size() - 1; i >= 0; --i) find_dynamic(i);
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
  [[nodiscard]] constexpr bool is_dequantized(int i) const {
    return is_any_of(g_[i].op, q::dequantize);
  }
  [[nodiscard]] constexpr bool all_dequantized(int i) const {
    for (const int a : g_.args_of(i))
      if (!is_dequantized(a)) return false;
    return g_[i].arg_count > 0;
  }
  /// The first argument, or the elements of the list that it is.
  [[nodiscard]] constexpr bool first_dequantized(int i) const {
    if (g_[i].row == nullptr) return all_dequantized(i);
    if (g_[i].arg_count == 0) return false;
    const list<argument_place> places = places_of(g_, i);
    for (int a = 0; a < g_[i].arg_count; ++a)
      if (places[a].position == 0 && !is_dequantized(g_.args_of(i)[a])) return false;
    return places[0].position == 0;
  }
  [[nodiscard]] constexpr bool functional_dequantized(int i) const {
    return g_[i].arg_count >= 2 && is_dequantized(g_.args_of(i)[0]) &&
           is_dequantized(g_.args_of(i)[1]);
  }

  /// May it be lowered: is it wanted? PyTorch asks for a qconfig only, not whether it was honoured.
  [[nodiscard]] constexpr bool is_wanted(int i) const {
    return patterns_may_be_split(semantics_) ? g_[i].choice.why.why != rejection::clause::no_qconfig
                                             : g_[i].choice.quantized();
  }

  /// The integer form of the op at x that has a relu behind it or not; null: it has none here.
  [[nodiscard]] constexpr op_id paired_form(int x, bool relu) const {
    if (const lowered_ops::weighted_row* const w = lowered_weighted(g_[x].op)) {
      const bool is_module = g_[x].op->kind == op_kind::module;
      if (is_module ? g_[x].weight == nullptr || !first_dequantized(x) : !functional_dequantized(x))
        return nullptr;
      return if_available(relu ? w->with_relu : w->plain);
    }
    const lowered_ops::binary_row* const b = lowered_binary(g_[x].op);
    if (b == nullptr || !all_dequantized(x)) return nullptr;
    return if_available(relu ? b->with_relu : b->plain);
  }

  /// The op, unless a kernel for it is asked for and there is none.
  [[nodiscard]] constexpr op_id if_available(op_id op) const {
    return op != nullptr && only_with_kernels_ && !has_integer_kernel(op) ? nullptr : op;
  }

  /// The integer form of an op that keeps its name, whose value the quantize at i reads.
  [[nodiscard]] constexpr op_id lone_form(int x, int i) const {
    const op_hooks* const own = g_[x].op->hooks;
    if (own != nullptr) {
      if (!own->has_integer_form(g_[i].dtype)) return nullptr;
      for (const int a : g_.args_of(x))
        if (!is_dequantized(a) || g_.arg(a, 0).dtype != g_[i].dtype) return nullptr;
      return g_[x].op;
    }
    const bool half = is_any_of(g_[i].op, q::to_float16);
    const bool fits = half ? copies_values(g_[x].op) : keeps_name(g_[x].op);
    const bool known = !patterns_may_be_split(semantics_) || !is_later(g_[x].op);
    return fits && known && first_dequantized(x) ? if_available(g_[x].op) : nullptr;
  }

  constexpr void take(int i, const quantized_op& q) {
    op_[i] = q;
    absorbed_[q.node] = true;
    if (q.relu >= 0) absorbed_[q.relu] = true;
  }

  /// What stands before the quantize at i: an op, or an op and a relu.
  constexpr void find_op(int i) {
    const int x = g_.args_of(i)[0];
    if (users_[x] != 1) return;
    if (is_any_of(g_[i].op, q::quantize_per_tensor)) {
      if (is_absorbed_relu(g_[x].op) && g_[x].arg_count == 1) {
        const int inner = g_.args_of(x)[0];
        const op_id op =
            users_[inner] == 1 && is_wanted(inner) ? paired_form(inner, true) : nullptr;
        if (op != nullptr) return take(i, {inner, x, op});
      }
      const op_id op = is_wanted(x) ? paired_form(x, false) : nullptr;
      if (op != nullptr) return take(i, {x, -1, op});
    }
    if (!patterns_may_be_split(semantics_) && !g_[x].choice.quantized()) return;
    if (const op_id op = lone_form(x, i)) take(i, {x, -1, op});
  }

  /// Embeddings: their weight is quantized, nothing else.
  constexpr void find_weight_only(int i) {
    if (!is_any_of(g_[i].op, nn::embedding, nn::embedding_bag)) return;
    if (if_available(lowered_weighted(g_[i].op)->plain) == nullptr) return;
    op_[i] = {i, -1, lowered_weighted(g_[i].op)->plain};
  }

  [[nodiscard]] constexpr bool is_dynamically_quantized(int i) const {
    return is_dequantized(i) && is_any_of(g_.arg(i, 0).op, q::quantize_per_tensor_dynamic);
  }

  /// An op whose input is quantized as it comes, with the relu that is at i if there is one.
  constexpr void find_dynamic(int i) {
    if (absorbed_[i] || g_[i].arg_count == 0) return;
    const bool relu = is_any_of(g_[i].op, nn::relu, fn::relu) && g_[i].arg_count == 1;
    const int x = relu ? g_.args_of(i)[0] : i;
    if (absorbed_[x]) return;
    const lowered_ops::weighted_row* const w = lowered_weighted(g_[x].op);
    if (w == nullptr || g_[x].arg_count == 0 || !is_dynamically_quantized(g_.args_of(x)[0])) return;
    const bool is_module = g_[x].op->kind == op_kind::module;
    if (is_module ? relu || g_[x].weight == nullptr
                  : !is_wanted(x) || !functional_dequantized(x) || (relu && users_[x] != 1))
      return;
    const op_id op = if_available(relu ? w->dynamic_relu : w->dynamic);
    if (op == nullptr) return;
    op_[i] = {x, relu ? i : -1, op, true};
    if (relu) absorbed_[x] = true;
  }

  /// What the integer op of q reads in the place of its a-th argument.
  [[nodiscard]] constexpr int source(const quantized_op& q, int a) const {
    const int arg = g_.args_of(q.node)[a];
    if (!is_dequantized(arg)) return arg;
    const int quantized = g_.args_of(arg)[0];
    const bool in_float = q.is_dynamic && is_dynamically_quantized(arg);
    return in_float ? g_.args_of(quantized)[0] : quantized;
  }

  /// Nodes that something still reads once integer ops read the quantized values directly.
  [[nodiscard]] constexpr list<bool> needed_nodes() const {
    list<bool> needed(g_.size(), false);
    for (int i = g_.size() - 1; i >= 0; --i) {
      const op_kind kind = g_[i].op->kind;
      if (kind == op_kind::output || kind == op_kind::placeholder) needed[i] = true;
      if (!needed[i]) continue;
      const quantized_op& q = op_[i];
      const int reader = q.node >= 0 ? q.node : i;
      for (int a = 0; a < g_[reader].arg_count; ++a)
        needed[q.node >= 0 ? source(q, a) : g_.args_of(i)[a]] = true;
    }
    return needed;
  }

  constexpr int emit_as_it_is(dynamic_graph<stage::lowered>& out, int i) const {
    list<int> args;
    const bool reads_shape = is_any_of(g_[i].op, fn::getattr);
    for (const int a : g_.args_of(i))
      args.push_back(moved_[reads_shape && is_dequantized(a) ? g_.args_of(a)[0] : a]);
    return out.add(g_[i], args);
  }

  constexpr int emit_integer(dynamic_graph<stage::lowered>& out, int i, const quantized_op& q) {
    const bool wants_equal_steps = keeps_steps(q.op) && !copies_keep_their_scale(semantics_);
    const bool gives_integers = i != q.node && i != q.relu;
    list<int> args;
    for (int a = 0; a < g_[q.node].arg_count; ++a) {
      const int from = source(q, a);
      int arg = moved_[from];
      if (wants_equal_steps && gives_integers && g_[from].observer != g_[i].observer) {
        arg = out.add(g_[i], arg);
        node& same_steps = out.nodes.back();
        same_steps.op = q::requantize.id();
        same_steps.name = q::requantize.name;
        same_steps.number = requantizes_++;
        same_steps.shape = g_[from].shape;
        same_steps.row = nullptr;
      }
      args.push_back(arg);
    }
    const int added = out.add(g_[q.node], args);
    node& n = out.nodes.back();
    n.op = q.op;
    if (gives_integers) {
      n.dtype = g_[i].dtype;
      n.observer = g_[i].observer;
      if (copies_values(q.op) && copies_keep_their_scale(semantics_) && !args.empty())
        n.observer = out.nodes[args[0]].observer;
    } else if (q.is_dynamic) {
      n.app = g_[g_.args_of(g_.args_of(q.node)[0])[0]].app;
    }
    return added;
  }

  graph_view<stage::reference> g_;
  semantics semantics_{};
  bool only_with_kernels_{};
  list<int> users_;
  list<bool> absorbed_;
  list<quantized_op> op_;  // by node: quantizes, and what reads floats
  list<int> moved_;
  int requantizes_ = 0;
};

}  // namespace lowering

/// Does the backend want integers on both sides of this node? (Of some ops it observes nothing.)
[[nodiscard]] constexpr bool is_observed(const node& n, const backend_view& backend) {
  return n.choice.quantized() && n.choice.pattern >= 0 &&
         backend.configs[n.choice.pattern].observation_for(n.arg_count) !=
             observation_type::input_output_not_observed;
}

/// The first node that the backend accepted and no kernel runs on integers, or -1.
[[nodiscard]] constexpr int first_without_kernel(graph_view<stage::lowered> g,
                                                 const backend_view& backend) {
  for (int i = 0; i < g.size(); ++i)
    if (g[i].op->kind != op_kind::pass && g[i].dtype == f32 && is_observed(g[i], backend)) return i;
  return -1;
}

[[nodiscard]] constexpr dynamic_graph<stage::lowered> lower(graph_view<stage::reference> g,
                                                            const lower_options& options = {}) {
  return lowering::rewrite{g, options}.graph();
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
