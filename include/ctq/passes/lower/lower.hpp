// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/graph/graph.hpp"
#include "ctq/ops/backend_ops.hpp"
#include "ctq/passes/fx_semantics.hpp"
#include "ctq/passes/lower/integer_forms.hpp"

// Lowering: dequantize -> float op -> quantize becomes one op on integers; ops with a dynamically
// quantized input, or with only a quantized weight, quantize themselves. Other float ops stay
// unchanged.

namespace ctq {

/// The options of lower.
struct lower_options {
  ctq::semantics semantics{};
  bool only_with_kernels = true;  // an op without a compiled kernel on integers stays in float
};

namespace lowering {

/// Ops that only copy or compare integers, so their input must have the output's qparams.
constexpr bool keeps_qparams(op_id op) {
  return op->descriptor->on_integers == on_integers::input_scale &&
         !op->descriptor->gives_any_scale;
}

template <class Graph, class Out>
class rewrite {
 public:
  constexpr rewrite(const Graph& g, const lower_options& o, Out& out)
      : g_(g), semantics_(o.semantics), forms_(g, o.semantics, o.only_with_kernels), out_(out) {
    resize_all(g.count, needed_, moved_);
    resize(reads_, g.arg_total());
    find_needed();
    write();
  }

 private:
  constexpr void write() {
    out_.open(g_.count + g_.arg_total(), 2 * g_.arg_total());
    out_.observers = g_.observers;
    for (int i = 0; i < g_.count; ++i) {
      if (forms_.fused[i] || !needed_[i]) continue;
      if (forms_.form[i] != nullptr) {
        emit_integer(i, forms_.of[i]);
      } else {
        emit_unchanged(i);
      }
    }
    out_.close(nodes_, args_);
  }

  [[nodiscard]] constexpr int arg(int i, int which = 0) const {
    return g_.args[g_.nodes[i].first_arg + which];
  }

  /// Finds the nodes that are still read once integer ops read the quantized values directly.
  constexpr void find_needed() {
    for (int i = g_.count - 1; i >= 0; --i) {
      const op_kind kind = g_.nodes[i].op->kind;
      if (kind == op_kind::output || kind == op_kind::placeholder) needed_[i] = true;
      if (!needed_[i]) continue;
      if (forms_.form[i] == nullptr) {
        const int first = g_.nodes[i].first_arg;
        for (int a = first; a < first + g_.nodes[i].arg_count; ++a)
          needed_[read_unchanged(i, g_.args[a])] = true;
      } else {
        for (int a = 0; a < g_.nodes[forms_.of[i]].arg_count; ++a)
          needed_[forms_.source(i, a)] = true;
      }
    }
  }

  /// What an unchanged node reads in place of an argument: the result of the integer op if the
  /// argument is fused into one, and the integers if only their shape is read.
  [[nodiscard]] constexpr int read_unchanged(int i, int from) const {
    if (forms_.fused[from]) return forms_.place_of_fused(from);
    const bool reads_shape = g_.nodes[i].row != nullptr && is_any_of(g_.nodes[i].op, fn::getattr);
    return reads_shape && forms_.is_dequantized(from) ? arg(from) : from;
  }

  constexpr void emit_unchanged(int i) {
    out_.nodes[nodes_] = g_.nodes[i];
    out_.nodes[nodes_].first_arg = args_;
    const int first = g_.nodes[i].first_arg;
    for (int a = first; a < first + g_.nodes[i].arg_count; ++a)
      out_.args[args_++] = moved_[read_unchanged(i, g_.args[a])];
    moved_[i] = nodes_++;
  }

  /// Appends the op at x on integers, in the place of node i.
  constexpr void emit_integer(int i, int x) {
    const bool gives_integers = i != x && i != forms_.relu[i];
    const int arguments = g_.nodes[x].arg_count;
    const bool needs_equal_qparams =
        gives_integers && !copies_have_input_scale(semantics_) && keeps_qparams(forms_.form[i]);
    for (int a = 0; a < arguments; ++a) {
      const int from = forms_.source(i, a);
      const bool fits = !needs_equal_qparams || !is_quantized(g_.nodes[from].dtype) ||
                        g_.nodes[from].observer == g_.nodes[i].observer;
      reads_[a] = fits ? moved_[from] : requantize(i, from);
    }
    out_.nodes[nodes_] = g_.nodes[x];
    out_.nodes[nodes_].first_arg = args_;
    out_.nodes[nodes_].op = forms_.form[i];
    const int following = forms_.relu[i];
    if (following >= 0 && forms_.form[i]->descriptor->schedule.then != nullptr) {
      out_.nodes[nodes_].attrs = with_following(g_.nodes[x].attrs, g_.nodes[following].attrs);
      out_.nodes[nodes_].then_row = g_.nodes[following].row;
    }
    if (arguments > 1 && g_.nodes[x].op->descriptor->weight_position > 0 &&
        forms_.is_dequantized(arg(x, 1)))
      out_.nodes[nodes_].weight = g_.nodes[arg(arg(x, 1))].observer_config;
    for (int a = 0; a < arguments; ++a) out_.args[args_++] = reads_[a];
    if (gives_integers) {
      out_.nodes[nodes_].dtype = g_.nodes[i].dtype;
      out_.nodes[nodes_].observer = g_.nodes[i].observer;
      if (copies_have_input_scale(semantics_) && arguments > 0 && copies_values(forms_.form[i]))
        out_.nodes[nodes_].observer = out_.nodes[reads_[0]].observer;
    } else if (forms_.is_dynamic[i]) {
      out_.nodes[nodes_].observer_config = g_.nodes[arg(arg(x))].observer_config;
    }
    moved_[i] = nodes_++;
  }

  /// Appends a requantize of a node's output to the qparams of the quantize at i.
  constexpr int requantize(int i, int from) {
    out_.nodes[nodes_] = g_.nodes[i];
    out_.nodes[nodes_].op = q::requantize.id();
    out_.nodes[nodes_].name = q::requantize.id()->name;
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
  integer_forms<Graph> forms_;
  Out& out_;
  scratch_array<bool, Graph::max_nodes> needed_{};
  scratch_array<int, Graph::max_nodes> moved_{};
  scratch_array<int, Graph::max_args> reads_{};  // by argument of the current op
  int nodes_ = 0;
  int args_ = 0;
  int requantizes_ = 0;
};

}  // namespace lowering

/// Writes the lowered graph.
template <graph_at<stage::reference> Graph, class Out>
constexpr void lower_into(const Graph& g, const lower_options& options, Out& out) {
  lowering::rewrite<Graph, Out>{g, options, out};
}

/// The lowered graph: the ops that schedule makes steps of.
template <class Out = dynamic_graph<stage::lowered>>
[[nodiscard]] constexpr Out lower(graph_view<stage::reference> g,
                                  const lower_options& options = {}) {
  Out out;
  lower_into(g, options, out);
  return out;
}

}  // namespace ctq
