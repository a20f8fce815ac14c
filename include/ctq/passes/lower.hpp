// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/ops.hpp"
#include "ctq/graph/argument_places.hpp"
#include "ctq/graph/graph.hpp"
#include "ctq/graph/op_memo.hpp"
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

/// Ops of which only the weight is quantized.
constexpr bool is_embedding(op_id op) { return is_any_of(op, nn::embedding, nn::embedding_bag); }

template <class Graph, class Out>
class rewrite {
 public:
  constexpr rewrite(const Graph& g, const lower_options& o, Out& out)
      : g_(g),
        semantics_(o.semantics),
        only_with_kernels_(o.only_with_kernels),
        whole_patterns_(!patterns_may_be_split(o.semantics)),
        out_(out) {
    give_room(users_, g.count);
    give_room(absorbed_, g.count);
    give_room(needed_, g.count);
    give_room(form_, g.count);
    give_room(of_, g.count);
    give_room(relu_, g.count);
    give_room(is_dynamic_, g.count);
    give_room(moved_, g.count);
    give_room(reads_, g.arg_total());
    count_users(g, users_);
    bool any_dynamic = false;
    for (int i = 0; i < g.count; ++i) {
      const op_id op = g.nodes[i].op;
      if (op == quantize || op == to_half) find_op(i, g.args[g.nodes[i].first_arg], op == to_half);
      if (g.nodes[i].weight != nullptr) find_weight_only(i);
      any_dynamic = any_dynamic || op == quantize_dynamic;
    }
    // From the end, so that a relu is seen before what it follows.
    for (int i = g.count - 1; any_dynamic && i >= 0; --i) find_dynamic(i);
    find_needed();
    write();
  }

 private:
  static constexpr op_id quantize = q::quantize_per_tensor.id();
  static constexpr op_id quantize_dynamic = q::quantize_per_tensor_dynamic.id();
  static constexpr op_id to_half = q::to_float16.id();
  static constexpr op_id dequantize = q::dequantize.id();

  constexpr void write() {
    out_.open(g_.count + g_.arg_total(), 2 * g_.arg_total());
    out_.observers = g_.observers;
    for (int i = 0; i < g_.count; ++i) {
      if (absorbed_[i] || !needed_[i]) continue;
      if (form_[i] != nullptr) {
        emit_integer(i, of_[i]);
      } else {
        emit_as_it_is(i);
      }
    }
    out_.close(nodes_, args_);
  }

  [[nodiscard]] constexpr int arg(int i, int which = 0) const {
    return g_.args[g_.nodes[i].first_arg + which];
  }
  [[nodiscard]] constexpr bool is_dequantized(int i) const { return g_.nodes[i].op == dequantize; }
  [[nodiscard]] constexpr bool all_dequantized(int i) const {
    const int first = g_.nodes[i].first_arg;
    for (int a = first; a < first + g_.nodes[i].arg_count; ++a)
      if (g_.nodes[g_.args[a]].op != dequantize) return false;
    return g_.nodes[i].arg_count > 0;
  }
  /// The first argument, or the elements of the list that it is.
  [[nodiscard]] constexpr bool first_dequantized(int i) const {
    if (g_.nodes[i].row == nullptr) return all_dequantized(i);
    if (g_.nodes[i].arg_count == 0) return false;
    const list<argument_place> places = places_of(g_, i);
    for (int a = 0; a < g_.nodes[i].arg_count; ++a)
      if (places[a].position == 0 && !is_dequantized(arg(i, a))) return false;
    return places[0].position == 0;
  }
  [[nodiscard]] constexpr bool functional_dequantized(int i) const {
    return g_.nodes[i].arg_count >= 2 && is_dequantized(arg(i, 0)) && is_dequantized(arg(i, 1));
  }

  /// May it be lowered: is it wanted? PyTorch asks for a qconfig only, not whether it was honoured.
  [[nodiscard]] constexpr bool is_wanted(int i) const {
    return whole_patterns_ ? g_.nodes[i].choice.dtype_config >= 0
                           : g_.nodes[i].choice.why.why != rejection::clause::no_qconfig;
  }

  /// The integer form of the op at x that has a relu behind it or not; null: it has none here.
  [[nodiscard]] constexpr op_id paired_form(int x, bool relu) {
    const op_id op = g_.nodes[x].op;
    if (const lowered_ops::weighted_row* const w = weighted_(op, lowered_weighted)) {
      const bool is_module = op->kind == op_kind::module;
      if (is_module ? g_.nodes[x].weight == nullptr || !first_dequantized(x)
                    : !functional_dequantized(x))
        return nullptr;
      return if_available(relu ? w->with_relu : w->plain);
    }
    const lowered_ops::binary_row* const b = binary_(op, lowered_binary);
    if (b == nullptr || !all_dequantized(x)) return nullptr;
    return if_available(relu ? b->with_relu : b->plain);
  }

  /// The op, unless a kernel for it is asked for and there is none.
  [[nodiscard]] constexpr op_id if_available(op_id op) {
    if (op == nullptr || !only_with_kernels_) return op;
    return has_kernel_(op, has_integer_kernel) ? op : nullptr;
  }

  /// The integer form of an op that keeps its name, whose value the quantize at i reads.
  [[nodiscard]] constexpr op_id lone_form(int x, int i, bool half) {
    const op_id op = g_.nodes[x].op;
    if (op->hooks != nullptr) {
      if (!op->hooks->has_integer_form(g_.nodes[i].dtype)) return nullptr;
      for (int a = 0; a < g_.nodes[x].arg_count; ++a)
        if (!is_dequantized(arg(x, a)) || g_.nodes[arg(arg(x, a))].dtype != g_.nodes[i].dtype)
          return nullptr;
      return op;
    }
    const bool fits = half ? copies_(op, copies_values) : keeps_name_(op, keeps_name);
    const bool known = whole_patterns_ || !is_later(op);
    return fits && known && first_dequantized(x) ? if_available(op) : nullptr;
  }

  /// The op at x, and a relu that goes into it (-1: none), become one on integers, in the place of
  /// the quantize at i.
  constexpr void take(int i, int x, int relu, op_id form) {
    form_[i] = form;
    of_[i] = x;
    relu_[i] = relu;
    absorbed_[x] = true;
    if (relu >= 0) absorbed_[relu] = true;
  }

  /// What stands before the quantize at i: an op, or an op and a relu.
  constexpr void find_op(int i, int x, bool half) {
    if (users_[x] != 1) return;
    if (!half) {
      if (g_.nodes[x].arg_count == 1 && absorbed_relu_(g_.nodes[x].op, is_absorbed_relu)) {
        const int inner = arg(x);
        const op_id op =
            users_[inner] == 1 && is_wanted(inner) ? paired_form(inner, true) : nullptr;
        if (op != nullptr) return take(i, inner, x, op);
      }
      const op_id op = is_wanted(x) ? paired_form(x, false) : nullptr;
      if (op != nullptr) return take(i, x, -1, op);
    }
    if (whole_patterns_ && g_.nodes[x].choice.dtype_config == -1) return;
    if (const op_id op = lone_form(x, i, half)) take(i, x, -1, op);
  }

  /// Embeddings: their weight is quantized, nothing else.
  constexpr void find_weight_only(int i) {
    if (!embedding_(g_.nodes[i].op, is_embedding)) return;
    form_[i] = if_available(lowered_weighted(g_.nodes[i].op)->plain);
    of_[i] = i;
    relu_[i] = -1;
  }

  [[nodiscard]] constexpr bool is_dynamically_quantized(int i) const {
    return is_dequantized(i) && g_.nodes[arg(i)].op == quantize_dynamic;
  }

  /// An op whose input is quantized as it comes, with the relu that is at i if there is one.
  constexpr void find_dynamic(int i) {
    if (absorbed_[i] || g_.nodes[i].arg_count == 0) return;
    const bool relu = is_any_of(g_.nodes[i].op, nn::relu, fn::relu) && g_.nodes[i].arg_count == 1;
    const int x = relu ? arg(i) : i;
    if (absorbed_[x] || g_.nodes[x].arg_count == 0 || !is_dynamically_quantized(arg(x))) return;
    const lowered_ops::weighted_row* const w = weighted_(g_.nodes[x].op, lowered_weighted);
    if (w == nullptr) return;
    const bool is_module = g_.nodes[x].op->kind == op_kind::module;
    if (is_module ? relu || g_.nodes[x].weight == nullptr
                  : !is_wanted(x) || !functional_dequantized(x) || (relu && users_[x] != 1))
      return;
    const op_id op = if_available(relu ? w->dynamic_relu : w->dynamic);
    if (op == nullptr) return;
    form_[i] = op;
    of_[i] = x;
    relu_[i] = relu ? i : -1;
    is_dynamic_[i] = true;
    if (relu) absorbed_[x] = true;
  }

  /// What the integer op in the place of i reads as its a-th argument.
  [[nodiscard]] constexpr int source(int i, int a) const {
    const int from = arg(of_[i], a);
    if (!is_dequantized(from)) return from;
    const int quantized = arg(from);
    const bool in_float = is_dynamic_[i] && g_.nodes[quantized].op == quantize_dynamic;
    return in_float ? arg(quantized) : quantized;
  }

  /// Nodes that something still reads once integer ops read the quantized values directly.
  constexpr void find_needed() {
    for (int i = g_.count - 1; i >= 0; --i) {
      const op_kind kind = g_.nodes[i].op->kind;
      if (kind == op_kind::output || kind == op_kind::placeholder) needed_[i] = true;
      if (!needed_[i]) continue;
      if (form_[i] == nullptr) {
        const int first = g_.nodes[i].first_arg;
        for (int a = first; a < first + g_.nodes[i].arg_count; ++a) needed_[g_.args[a]] = true;
      } else {
        for (int a = 0; a < g_.nodes[of_[i]].arg_count; ++a) needed_[source(i, a)] = true;
      }
    }
  }

  constexpr void emit_as_it_is(int i) {
    const bool reads_shape = g_.nodes[i].row != nullptr && is_any_of(g_.nodes[i].op, fn::getattr);
    out_.nodes[nodes_] = g_.nodes[i];
    out_.nodes[nodes_].first_arg = args_;
    const int first = g_.nodes[i].first_arg;
    for (int a = first; a < first + g_.nodes[i].arg_count; ++a) {
      const int from = g_.args[a];
      out_.args[args_++] = moved_[reads_shape && is_dequantized(from) ? arg(from) : from];
    }
    moved_[i] = nodes_++;
  }

  /// The op at x on integers, in the place of node i.
  constexpr void emit_integer(int i, int x) {
    const bool gives_integers = i != x && i != relu_[i];
    const int arguments = g_.nodes[x].arg_count;
    const bool wants_equal_steps = gives_integers && !copies_keep_their_scale(semantics_) &&
                                   keeps_steps_(form_[i], keeps_steps);
    for (int a = 0; a < arguments; ++a) {
      const int from = source(i, a);
      const bool fits = !wants_equal_steps || g_.nodes[from].observer == g_.nodes[i].observer;
      reads_[a] = fits ? moved_[from] : requantize(i, from);
    }
    out_.nodes[nodes_] = g_.nodes[x];
    out_.nodes[nodes_].first_arg = args_;
    out_.nodes[nodes_].op = form_[i];
    for (int a = 0; a < arguments; ++a) out_.args[args_++] = reads_[a];
    if (gives_integers) {
      out_.nodes[nodes_].dtype = g_.nodes[i].dtype;
      out_.nodes[nodes_].observer = g_.nodes[i].observer;
      if (copies_keep_their_scale(semantics_) && arguments > 0 && copies_(form_[i], copies_values))
        out_.nodes[nodes_].observer = out_.nodes[reads_[0]].observer;
    } else if (is_dynamic_[i]) {
      out_.nodes[nodes_].app = g_.nodes[arg(arg(x))].app;
    }
    moved_[i] = nodes_++;
  }

  /// What a node gives, in the steps of the quantize at i.
  constexpr int requantize(int i, int from) {
    out_.nodes[nodes_] = g_.nodes[i];
    out_.nodes[nodes_].op = q::requantize.id();
    out_.nodes[nodes_].name = q::requantize.name;
    out_.nodes[nodes_].number = requantizes_++;
    out_.nodes[nodes_].shape = g_.nodes[from].shape;
    out_.nodes[nodes_].row = nullptr;
    out_.nodes[nodes_].first_arg = args_;
    out_.nodes[nodes_].arg_count = 1;
    out_.args[args_++] = moved_[from];
    return nodes_++;
  }

  const Graph& g_;
  semantics semantics_{};
  bool only_with_kernels_{};
  bool whole_patterns_{};
  Out& out_;
  room<int, Graph::max_nodes> users_{};
  room<bool, Graph::max_nodes> absorbed_{};
  room<bool, Graph::max_nodes> needed_{};
  // By node, of quantizes and of what reads floats: what they become.
  room<op_id, Graph::max_nodes> form_{};       // an op on integers; null: they stay what they are
  room<int, Graph::max_nodes> of_{};           // whose arguments it has
  room<int, Graph::max_nodes> relu_{};         // that goes into it, or -1
  room<bool, Graph::max_nodes> is_dynamic_{};  // its first argument is read in float
  room<int, Graph::max_nodes> moved_{};
  room<int, Graph::max_args> reads_{};  // by argument of the op at hand
  op_memo<const lowered_ops::weighted_row*> weighted_{};
  op_memo<const lowered_ops::binary_row*> binary_{};
  op_memo<bool> has_kernel_{};
  op_memo<bool> copies_{};
  op_memo<bool> keeps_name_{};
  op_memo<bool> keeps_steps_{};
  op_memo<bool> absorbed_relu_{};
  op_memo<bool> embedding_{};
  int nodes_ = 0;
  int args_ = 0;
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
template <graph_at<stage::lowered> Graph>
[[nodiscard]] constexpr int first_without_kernel(const Graph& g, const backend_view& backend) {
  for (int i = 0; i < g.count; ++i)
    if (g.nodes[i].dtype == f32 && g.nodes[i].choice.dtype_config >= 0 &&
        g.nodes[i].op->kind != op_kind::pass && is_observed(g.nodes[i], backend))
      return i;
  return -1;
}

template <graph_at<stage::reference> Graph, class Out>
constexpr void lower_into(const Graph& g, const lower_options& options, Out& out) {
  lowering::rewrite<Graph, Out>{g, options, out};
}

[[nodiscard]] constexpr dynamic_graph<stage::lowered> lower(graph_view<stage::reference> g,
                                                            const lower_options& options = {}) {
  dynamic_graph<stage::lowered> out;
  lower_into(g, options, out);
  return out;
}

/// Says which node has no integer kernel, though the backend lists its pattern.
template <graph_at<stage::lowered> Graph>
[[nodiscard]] constexpr diagnostic missing_kernel(const Graph& g, const backend_view& backend) {
  diagnostic d;
  const int bad = first_without_kernel(g, backend);
  if (bad < 0) return d;
  const node& n = g.nodes[bad];
  d.line("the QConfig cannot be honoured:").line("backend: ", backend.name);
  d.line("node: ", n.name).line("pattern: ");
  append_pattern(d.text, backend.configs[n.choice.pattern].pattern);
  d.line("no integer kernel for").line(n.op->name);
  if (n.op->hooks != nullptr) d.line("define: static void run(...)");
  return d.line("to mean it: allow_float<", n.name, ">");
}

}  // namespace ctq
