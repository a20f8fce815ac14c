// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/shapes/elementwise_shapes.hpp"
#include "ctq/core/shapes/layout_shapes.hpp"
#include "ctq/core/shapes/row_shapes.hpp"
#include "ctq/ops/custom_modules/quantizable_lstm.hpp"
#include "ctq/passes/schedule/view_steps.hpp"

// Steps of embeddings, recurrent layers and reductions.
//
// Indices, int64 and int32, are inputs of a model or results of argmax. Embeddings read them
// unchanged. Steps that compute with them read floats, and their results are converted back where
// an embedding reads them or the model returns them. Floats hold integers up to 2^24;
// session::check_indices reports larger inputs.

namespace ctq::scheduling {

template <class Graph, class Schedule>
class sequence_steps : public view_steps<Graph, Schedule> {
 public:
  using base = view_steps<Graph, Schedule>;
  using base::base;

 protected:
  using base::arg;
  using base::elements_of;
  using base::emit;
  using base::g_;
  using base::in_order;
  using base::new_output;
  using base::next_sizes;
  using base::order_of_;
  using base::out_;
  using base::steps_;
  using base::value_of_;

  static constexpr int most_exact_rows = 1 << 24;  // float32 is not exact beyond

  /// Rows of a table, which is float32 or, weight-only, quint8 or quint4x2.
  constexpr void lookup(int i) {
    const op_schedule& s = g_.nodes[i].op->descriptor->schedule;
    const node& n = g_.nodes[i];
    const dtype table = n.weight == nullptr ? f32 : n.weight->args.dtype;
    if (table != f32 && !kernels::is_int8(table) && table != quint4x2) {
      out_.problem.line("no kernel for node ", n.name, ":");
      out_.problem.line("a table of ", name_of(table), "; there are")
          .line("float32, quint8, qint8, quint4x2");
      return;
    }
    const int a = arg(i), b = n.arg_count == 2 ? arg(i, 1) : -1;
    const int x = index_operand(i, a);
    const int y = b < 0 ? -1 : index_operand(i, b);
    next_sizes(s.sizes(n.attrs, g_.nodes[a].shape, n.shape));
    auto sizes = out_.steps[steps_].signature.template as<embedding_shape>();
    sizes.bits = table == f32 ? 32 : table == quint4x2 ? 4 : 8;
    sizes.is_signed = table == qint8 ? 1 : 0;
    next_sizes(sizes);
    if (sizes.rows > most_exact_rows && is_converted(a)) {
      out_.problem.line("no kernel for node ", n.name, ":");
      out_.problem.line("computed indices are exact up to 2^24;");
      out_.problem.line("its table has ", sizes.rows, " rows");
      return;
    }
    if (b >= 0 && !this->equal_types(i, index_type(a), index_type(b), s.kernel)) return;
    emit(s.kernel, i, index_type(a), -1, x, new_output(i, layout::nchw), f32, n.observer, false);
    if (b >= 0 && !out_.problem.any()) this->also_reads(b, y);
  }

  /// The output of node `from`, which node i reads as indices.
  constexpr int index_operand(int i, int from) {
    this->materialize_input(i, from);
    return this->as_indices(from);
  }

  /// A recurrent layer or cell. Its output is a tuple, contiguous. Weights of float16 are floats
  /// that have been rounded.
  constexpr void recurrent_step(int i) {
    const node& n = g_.nodes[i];
    const op_schedule& schedule = n.op->descriptor->schedule;
    const int a = arg(i);
    this->materialize_input(i, a);
    const int x = in_order(a, layout::nchw);
    int state = -1;
    for (int s = 1; s < n.arg_count; ++s) this->materialize_input(i, arg(i, s));
    if (out_.problem.any()) return;
    if (n.arg_count == 2) state = in_order(arg(i, 1), layout::nchw);
    for (int s = 1; s < n.arg_count; ++s)
      if (!this->same_dtypes(i, a, arg(i, s), schedule.kernel)) return;
    if (n.arg_count == 3) state = joined(i, arg(i, 1), arg(i, 2));
    next_sizes(schedule.sizes(n.attrs, g_.nodes[a].shape, n.shape));
    auto s = out_.steps[steps_].signature.template as<recurrent_shape>();
    s.has_state = n.arg_count > 1 ? 1 : 0;
    next_sizes(s);
    const bool in_half = n.weight != nullptr && n.weight->args.dtype == f16;
    const bool stays_in_float =
        schedule.kernel == kernel::lstm_observed && Graph::at != stage::prepared;
    const kernel_id computes = in_half || stays_in_float ? kernel::rnn : schedule.kernel;
    auto elements = static_cast<std::size_t>(s.sequence_elements() + s.state_elements());
    if (computes == kernel::lstm_observed) elements += s.all_observed_elements();
    value_of_[i] = this->new_value(elements * size_of(n.dtype));
    order_of_[i] = layout::nchw;
    emit(computes, i, a, x, value_of_[i]);
    if (out_.problem.any()) return;
    if (state >= 0) this->also_reads(arg(i, 1), state);
    if (state >= 0 && schedule.kernel == kernel::lstm_static)
      out_.steps[steps_ - 1].fused_observer = observer_of_c(i);
    if (Graph::at == stage::prepared && n.observer >= 0) this->observe_value(i, n.observer);
  }

  /// The observer of the initial c: of the last argument, or of h and c together. If these come
  /// from an LSTM, their qparams are those of h.
  [[nodiscard]] constexpr int observer_of_c(int i) const {
    const int last = arg(i, g_.nodes[i].arg_count - 1);
    if (g_.nodes[i].arg_count == 3 || g_.nodes[last].arg_count == 0) return g_.nodes[last].observer;
    const node& from = g_.nodes[arg(last)];
    const bool of_lstm =
        from.op->descriptor->returns_tuple && from.op->descriptor->inner_observers != nullptr;
    return of_lstm ? from.observer + observer_of_part(from.attrs, lstm_part::c)
                   : g_.nodes[last].observer;
  }

  /// An image is read in the order that it has, if the output then has an order that kernels read.
  /// Sums of floats are defined by the order of the axes, as are indices along all of them.
  ///   by  the node of the op: i, or a tuple of which i is a part
  constexpr void reduction(int i, int by) {
    const op_schedule& s = g_.nodes[by].op->descriptor->schedule;
    const attributes& attrs = g_.nodes[by].attrs;
    const int a = arg(by);
    this->materialize_input(by, a);
    const shape& in = g_.nodes[a].shape;
    auto sizes = from_block<reduction_shape>(s.sizes(attrs, in, g_.nodes[i].shape));
    const bool compares = sizes.rule == reduction_rule::max || sizes.rule == reduction_rule::min;
    bool whole = true;  // all pixels of an image
    for (int axis = 2; axis < in.rank; ++axis) whole = whole && sizes.reduces(axis);
    const bool returns_indices = by == i ? g_.nodes[by].op->descriptor->returns_indices
                                         : shape_rules::selects_indices(g_.nodes[i], g_.nodes[by]);
    constexpr int of_channels = 1 << 1;
    const bool as_it_lies = returns_indices
                                ? sizes.axes == of_channels
                                : (element_type(g_.nodes[i].dtype) != f32 || compares) &&
                                      (whole || g_.nodes[i].shape.rank == in.rank);
    const layout order = as_it_lies ? order_of_[a] : layout::nchw;
    const int x = in_order(a, order);
    sizes = descriptors::reduction_in(sizes.rule, attrs, in, order);
    next_sizes(sizes);
    const bool keeps_order = order_matters(g_.nodes[i].shape);
    if (!returns_indices)
      return emit(s.kernel, i, a, x, new_output(i, keeps_order ? order : layout::nchw));
    const int indices =
        this->new_value(static_cast<std::size_t>(elements_of(i)) * size_of(g_.nodes[i].dtype));
    emit(kernel::argmax, i, a, x, indices, g_.nodes[i].dtype, -1);
    if (!out_.problem.any()) this->set_indices(i, indices);
  }

  /// Whether node i is a part of a tuple that reductions compute.
  [[nodiscard]] constexpr bool selects_extreme(int i) const {
    const op_descriptor& from = *g_.nodes[arg(i)].op->descriptor;
    return from.schedule.kernel == kernel::reduction && from.tuple_item != nullptr &&
           is_any_of(g_.nodes[i].op, op::getitem);
  }

  /// A value that has the elements of two tensors, contiguously.
  constexpr int joined(int i, int a, int b) {
    const int both = elements_of(a) + elements_of(b);
    const int to = this->new_value(static_cast<std::size_t>(both) * size_of(g_.nodes[a].dtype));
    int before = 0;
    for (const int part : {a, b}) {
      const int from = in_order(part, layout::nchw);
      next_sizes(concat_shape{1, elements_of(part), both, before});
      emit(kernel::concat, i, part, from, to);
      before += elements_of(part);
    }
    return to;
  }

  /// Makes this value of indices, in the order of the axes, the output of node i.
  constexpr void set_indices(int i, int value) {
    value_of_[i] = value;
    base::order_of_[i] = layout::nchw;
    if (!is_computed_with(i)) return;
    const int floats = this->new_output(i, layout::nchw);
    converts(i, value, g_.nodes[i].dtype, floats, f32);
  }

  /// The output of node i, whose elements are materialized, as indices.
  constexpr int as_indices(int i) {
    if (const int known = indices_of(i); known >= 0) return known;
    const int from = this->in_order(i, layout::nchw);
    const int value = this->new_value(static_cast<std::size_t>(elements_of(i)) * size_of(i64));
    converts(i, from, element_type(g_.nodes[i].dtype), value, i64);
    return value;
  }

  /// Whether as_indices has converted what steps computed in float.
  [[nodiscard]] constexpr bool is_converted(int i) const {
    for (int s = 0; s < steps_; ++s)
      if (out_.steps[s].node == i && out_.steps[s].signature.kernel == kernel::convert &&
          out_.steps[s].signature.out == i64)
        return true;
    return false;
  }

  /// The type of the value that as_indices returns.
  [[nodiscard]] constexpr dtype index_type(int i) const {
    return is_index(g_.nodes[i].dtype) ? g_.nodes[i].dtype : i64;
  }

 private:
  /// The value of indices that is the output of node i, or -1: the one that a step of it has
  /// written or, to compute with it, read.
  [[nodiscard]] constexpr int indices_of(int i) const {
    for (int s = steps_; s-- > 0;) {
      if (out_.steps[s].node != i) continue;
      if (out_.steps[s].signature.out == i64) return base::written_[s];
      if (out_.steps[s].signature.kernel == kernel::convert) return base::in_[s];
    }
    const bool is_input = g_.nodes[i].op->kind == op_kind::placeholder;
    return is_input && is_index(g_.nodes[i].dtype) ? value_of_[i] : -1;
  }

  /// Whether some node other than embeddings and the model's output reads the output of node i.
  [[nodiscard]] constexpr bool is_computed_with(int i) const {
    for (int reader = i + 1; reader < g_.count; ++reader) {
      const node& n = g_.nodes[reader];
      if (n.op->kind == op_kind::output) continue;
      for (int a = n.op->descriptor->index_inputs; a < n.arg_count; ++a)
        if (g_.args[n.first_arg + a] == i) return true;
    }
    return false;
  }

  constexpr void converts(int i, int from, dtype takes, int to, dtype gives) {
    this->next_sizes(elementwise_shape{elements_of(i)});
    this->emit(kernel::convert, i, takes, -1, from, to, gives, -1, false);
  }
};

}  // namespace ctq::scheduling
