// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/graph/integers.hpp"
#include "ctq/passes/schedule/step_writer.hpp"

// Values of int64 and int32: the indices that a model is called with, and those that argmax gives.
// Embeddings read them as they are. Steps that compute with them read them as floats, and what is
// computed so is an index again where an embedding reads it, or the model returns it. Floats hold
// integers up to 2^24; session::check_indices tells who calls a model of larger ones.

namespace ctq::scheduling {

template <class Graph, class Schedule>
class integer_steps : public step_writer<Graph, Schedule> {
 public:
  constexpr integer_steps(const Graph& g, Schedule& out) : base(g, out) {
    resize(indices_of_, g.count);
  }

 protected:
  using base = step_writer<Graph, Schedule>;
  using base::elements_of;
  using base::g_;
  using base::value_of_;

  /// The output of node i is this value of indices, in the order of the axes.
  constexpr void set_indices(int i, int value) {
    value_of_[i] = value;
    base::order_of_[i] = layout::nchw;
    indices_of_[i] = 1 + value;
    if (!is_computed_with(i)) return;
    const int floats = this->new_output(i, layout::nchw);
    converts(i, value, g_.nodes[i].dtype, floats, f32);
  }

  /// The output of node i, whose elements are settled, as indices.
  constexpr int as_indices(int i) {
    if (indices_of_[i] > 0) return indices_of_[i] - 1;
    const int from = this->in_order(i, layout::nchw);
    const int value = this->new_value(static_cast<std::size_t>(elements_of(i)) * size_of(i64));
    converts(i, from, element_type(g_.nodes[i]), value, i64);
    indices_of_[i] = 1 + value;
    return value;
  }

  /// Whether as_indices gives what steps have computed in float.
  [[nodiscard]] constexpr bool is_computed(int i) const {
    return value_of_[i] != indices_of_[i] - 1 && g_.nodes[i].op->kind != op_kind::placeholder &&
           !g_.nodes[i].op->descriptor->gives_indices;
  }

  /// The type of what as_indices gives.
  [[nodiscard]] constexpr dtype index_type(int i) const {
    return indices_of_[i] > 0 ? g_.nodes[i].dtype : i64;
  }

 private:
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

  scratch_array<int, Graph::max_nodes> indices_of_{};  // by node: 1 + the value; 0: none
};

}  // namespace ctq::scheduling
