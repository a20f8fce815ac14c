// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>

#include "ctq/graph/graph.hpp"
#include "ctq/kernels/signatures.hpp"
#include "ctq/passes/memory.hpp"
#include "ctq/passes/step.hpp"

// Steps as they are written one after the other, and the values they read and write. Where a value
// lies is known when all steps are: finish() plans the arena.

namespace ctq::scheduling {

/// One stretch of memory; several nodes may be views of it.
struct value {
  std::size_t bytes{};
  int written{};  // step
  int read = -1;  // step
  place::area area = place::area::arena;
};

/// What is known of a node's output.
struct form {
  int value = -1;
  layout order = layout::nchw;
};

/// With one channel or one pixel both orders are the same bytes.
[[nodiscard]] constexpr bool order_matters(const shape& s) {
  return s.rank == 4 && s[1] != 1 && s[2] * s[3] != 1;
}

template <stage Stage>
class step_writer {
 public:
  constexpr explicit step_writer(graph_view<Stage> g) : g_(g), form_(g.size()) {}

  [[nodiscard]] constexpr dynamic_schedule finish() {
    // In the order of writing: values are made as their steps are, except those at the doors.
    list<buffer> buffers;
    list<int> buffer_of(values_.size(), -1);
    for (std::size_t v = 0; v < values_.size(); ++v) {
      if (values_[v].area != place::area::arena) continue;
      buffer_of[v] = static_cast<int>(buffers.size());
      const int read = values_[v].read < values_[v].written ? values_[v].written : values_[v].read;
      buffers.push_back({values_[v].bytes, values_[v].written, read, 0});
    }
    out_.arena_bytes = plan_memory(buffers);
    const auto place_of = [&](int v) -> place {
      if (v < 0) return {};
      const value& x = values_[v];
      if (x.area != place::area::arena) return {x.area, 0};
      return {place::area::arena, buffers[buffer_of[v]].offset};
    };
    for (std::size_t s = 0; s < out_.steps.size(); ++s) {
      out_.steps[s].in = {place_of(operands_[s].in[0]), place_of(operands_[s].in[1])};
      out_.steps[s].out = place_of(operands_[s].out);
    }
    for (std::size_t p = 0; p < out_.observations.size(); ++p)
      out_.observations[p].where = place_of(observed_[p]);
    return out_;
  }

 protected:
  struct operands {
    std::array<int, 2> in{-1, -1};
    int out = -1;
  };

  [[nodiscard]] constexpr int next_step() const { return static_cast<int>(out_.steps.size()); }
  [[nodiscard]] constexpr form& form_of(int i) { return form_[i]; }
  [[nodiscard]] constexpr int arg(int i, int which = 0) const { return g_.args_of(i)[which]; }

  constexpr int new_value(std::size_t bytes, place::area area = place::area::arena) {
    values_.push_back({bytes, next_step(), -1, area});
    return static_cast<int>(values_.size()) - 1;
  }

  /// Adds a step; it is a problem if there is no kernel for it. in, out: values, -1 for none.
  constexpr void emit(const kernel_signature& key, int node, std::array<int, 2> in, int out,
                      std::array<int, 2> in_observer, int out_observer) {
    if (!kernels::exists(key)) {
      static_text<80> name;
      append_name(name, g_[node]);
      out_.problem.line("no kernel for node ", name.view(), ":");
      out_.problem.line(name_of(key.op), ", ", name_of(key.in), " to ", name_of(key.out));
      return;
    }
    // The output as well: a step of a cat must not lose what the last one wrote.
    for (const int v : {in[0], in[1], out})
      if (v >= 0) values_[v].read = next_step();
    out_.steps.push_back({key, node, {}, {}, in_observer, out_observer});
    operands_.push_back({in, out});
  }

  /// A step with one input; its output is a new value.
  template <class Shape>
  constexpr void unary(int i, kernel op, const Shape& s, form x, layout order, bool relu = false) {
    const int from = arg(i);
    const int out = new_value(numel(g_[i].shape) * size_of(g_[i].dtype));
    emit(signature(op, g_[from].dtype, g_[i].dtype, s, relu), i, {x.value, -1}, out,
         {g_[from].observer, -1}, g_[i].observer);
    form_of(i) = {out, order};
  }

  /// The output of node i in the wanted order, transposed if it has to be.
  constexpr form in_order(int i, layout wanted) {
    const form f = form_of(i);
    const node& n = g_[i];
    if (f.order == wanted || !order_matters(n.shape)) return {f.value, wanted};
    const transpose_shape s{n.shape[0], n.shape[1], n.shape[2] * n.shape[3]};
    const int out = new_value(numel(n.shape) * size_of(n.dtype));
    emit(signature(wanted == layout::nhwc ? kernel::to_nhwc : kernel::to_nchw, n.dtype, n.dtype, s),
         i, {f.value, -1}, out, {n.observer, -1}, n.observer);
    return form_of(i) = {out, wanted};
  }

  graph_view<Stage> g_;
  list<form> form_;  // by node
  list<value> values_;
  list<operands> operands_;  // by step
  list<int> observed_;       // by observation: the value
  dynamic_schedule out_;
};

}  // namespace ctq::scheduling
