// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/shapes/matrix_shapes.hpp"
#include "ctq/core/shapes/row_shapes.hpp"
#include "ctq/graph/integers.hpp"
#include "ctq/graph/shape_rules.hpp"
#include "ctq/ops/backend_ops.hpp"
#include "ctq/ops/strided_view.hpp"
#include "ctq/passes/schedule/step_writer.hpp"

// Views of values, and matrices, which may be read as views. A view is not a step: its elements are
// copied when a kernel reads them, unless they are those of the whole value, in an order that
// kernels read.

namespace ctq::scheduling {

template <class Graph, class Schedule>
class view_steps : public step_writer<Graph, Schedule> {
 public:
  constexpr view_steps(const Graph& g, Schedule& out) : base(g, out) { resize(view_of_, g.count); }

 protected:
  using base = step_writer<Graph, Schedule>;
  using base::arg;
  using base::elements_of;
  using base::emit;
  using base::g_;
  using base::in_order;
  using base::new_output;
  using base::next_sizes;
  using base::order_of_;
  using base::out_;
  using base::value_of_;

  /// Makes the output of `from`, which node i reads, elements in an order that kernels read.
  /// Reports a tuple.
  constexpr void materialize_input(int i, int from) {
    if (!returns_tuple(from)) return materialize(from);
    if (out_.problem.any()) return;
    out_.problem.line("node ", g_.nodes[i].name, " reads several tensors,");
    out_.problem.line("all of ", g_.nodes[from].name, "; op::getitem selects one");
  }

  /// A reshape: no step is needed if the elements are in that order in memory already.
  constexpr void as_view(int i) {
    const int a = arg(i);
    if (returns_tuple(a)) return materialize_input(i, a);
    if (view_of_[a] > 0 || order_of_[a] == layout::nhwc) {
      strided_view v = view_of(a);
      const int image = view_of_[a] == 0 ? a : views_[at(a)].image;
      if (reshape_view(v, g_.nodes[i].shape)) return becomes_view(i, a, v, image);
      materialize(a);
    }
    value_of_[i] = in_order(a, layout::nchw);
    order_of_[i] = layout::nchw;
  }

  /// A part of the input, or its axes in another order.
  constexpr void as_strided(int i) {
    const int a = arg(i);
    if (returns_tuple(a) && !is_any_of(g_.nodes[i].op, op::getitem)) return materialize_input(i, a);
    const node& n = g_.nodes[i];
    const node& from = g_.nodes[a];
    const auto item = from.op->descriptor->tuple_item;
    becomes_view(i, a,
                 item != nullptr ? item(from.attrs, view_of(a), shape_rules::item_index(n))
                                 : n.op->descriptor->schedule.view(n.attrs, view_of(a)),
                 -1);
  }

  /// Elements of the input, some of them several times.
  constexpr void as_copied(int i) {
    const int a = arg(i);
    if (returns_tuple(a)) return materialize_input(i, a);
    const node& n = g_.nodes[i];
    const strided_view v = n.op->descriptor->schedule.view(n.attrs, view_of(a));
    if (v.shape.rank < 0) {
      out_.problem.line("no kernel for node ", n.name, ":");
      out_.problem.line("it repeats too many axes");
      return;
    }
    next_sizes(reorder_sizes(v));
    emit(kernel::reorder, i, a, value_of_[a], new_output(i, layout::nchw));
  }

  /// Products of matrices. The second factors may be transposed.
  constexpr void matmul(int i) {
    const int a = arg(i);
    const int b = arg(i, 1);
    materialize_input(i, a);
    const bool transposed = view_of_[b] > 0 && !returns_tuple(b) && g_.nodes[b].shape.rank > 1 &&
                            is_contiguous(with_last_axes_exchanged(view_of(b)), layout::nchw);
    if (!transposed) materialize_input(i, b);
    if (out_.problem.any() || !same_dtypes(i, a, b, kernel::matmul)) return;
    const matmul_shape s = descriptors::matmul_sizes(g_.nodes[a].shape, g_.nodes[b].shape,
                                                     g_.nodes[i].shape, transposed);
    if (element_type(g_.nodes[i].dtype) != f32 && s.k > most_int8_products) {
      out_.problem.line("no kernel for node ", g_.nodes[i].name, ":");
      out_.problem.line("sums of ", s.k, " products of integers;");
      out_.problem.line("at most ", most_int8_products, " fit in int32");
      return;
    }
    const int x = in_order(a, layout::nchw);
    const int y = transposed ? value_of_[b] : in_order(b, layout::nchw);
    next_sizes(s);
    emit(kernel::matmul, i, a, x, new_output(i, layout::nchw));
    if (!out_.problem.any()) this->also_reads(b, y);
  }

  /// The scores of queries and keys, their softmax, and its product with the values.
  constexpr void attention(int i) {
    const int q = arg(i), k = arg(i, 1), v = arg(i, 2);
    for (const int from : {q, k, v}) materialize_input(i, from);
    if (out_.problem.any()) return;
    const node& n = g_.nodes[i];
    const attention_shape s =
        descriptors::attention_sizes(n.attrs, g_.nodes[q].shape, g_.nodes[k].shape);
    const int last = n.shape.rank - 1;
    const int in[] = {in_order(q, layout::nchw), in_order(k, layout::nchw),
                      in_order(v, layout::nchw)};
    const std::size_t bytes =
        static_cast<std::size_t>(s.rows) * static_cast<std::size_t>(s.keys) * sizeof(float);
    matmul_shape product{.batch = s.rows / s.queries,
                         .m = s.queries,
                         .n = s.keys,
                         .k = g_.nodes[q].shape[last],
                         .matrices = {s.rows / s.queries, s.rows / s.queries},
                         .transposed = 1};
    next_sizes(product);
    const int scores = this->new_value(bytes);
    emit(kernel::matmul, i, q, in[0], scores);
    if (out_.problem.any()) return;
    this->also_reads(k, in[1]);
    next_sizes(s);
    const int shares = this->new_value(bytes);
    emit(kernel::attention_softmax, i, q, scores, shares);
    product.n = n.shape[last];
    product.k = s.keys;
    product.transposed = 0;
    next_sizes(product);
    emit(kernel::matmul, i, v, shares, new_output(i, layout::nchw));
    if (!out_.problem.any()) this->also_reads(v, in[2]);
  }

  constexpr bool same_dtypes(int i, int a, int b, kernel_id k) {
    return equal_types(i, element_type(g_.nodes[a].dtype), element_type(g_.nodes[b].dtype), k);
  }
  constexpr bool equal_types(int i, dtype first, dtype second, kernel_id k) {
    if (first == second) return true;
    out_.problem.line("no kernel for node ", g_.nodes[i].name, ":");
    out_.problem.line(name_of(k), " of ", name_of(first), " and ", name_of(second));
    return false;
  }

 private:
  struct part {
    strided_view view{};
    int elements{};  // of the whole value
    int image = -1;  // the node whose elements these are, in the order of its axes; -1: none
  };

  [[nodiscard]] constexpr bool returns_tuple(int i) const {
    return g_.nodes[i].op->descriptor->returns_tuple;
  }
  [[nodiscard]] constexpr std::size_t at(int i) const {
    return static_cast<std::size_t>(view_of_[i] - 1);
  }

  /// Where the elements of node i are in its value.
  [[nodiscard]] constexpr strided_view view_of(int i) const {
    return view_of_[i] > 0 ? views_[at(i)].view : contiguous_view(g_.nodes[i].shape, order_of_[i]);
  }

  /// Makes the output of node i this view of the value of another node.
  constexpr void becomes_view(int i, int other, const strided_view& v, int image) {
    const int elements = view_of_[other] > 0 ? views_[at(other)].elements : elements_of(other);
    value_of_[i] = value_of_[other];
    order_of_[i] = layout::nchw;
    if (elements_of(i) == elements) {
      if (is_contiguous(v, layout::nchw)) return;
      if (v.shape.rank == 4 && is_contiguous(v, layout::nhwc)) {
        order_of_[i] = layout::nhwc;
        return;
      }
    }
    views_.push_back({v, elements, image});
    view_of_[i] = static_cast<int>(views_.size());
  }

  /// Copies the output of node i if it is a view.
  constexpr void materialize(int i) {
    if (view_of_[i] == 0) return;
    const part& p = views_[at(i)];
    view_of_[i] = 0;
    if (p.image >= 0) {
      value_of_[i] = in_order(p.image, layout::nchw);
      return;
    }
    const int from = value_of_[i];
    next_sizes(reorder_sizes(p.view));
    emit(kernel::reorder, i, i, from, new_output(i, layout::nchw));
  }

  list<part> views_;
  scratch_array<int, Graph::max_nodes> view_of_{};  // by node: 1 + one of them, 0: all of its value
};

}  // namespace ctq::scheduling
