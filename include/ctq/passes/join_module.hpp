// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string_view>

#include "ctq/graph/graph.hpp"
#include "ctq/ops/shape_checks.hpp"

// A standalone module is a graph of its own. Compiled code runs the graphs of a model and of the
// modules in it as one: the node of the module is replaced by the nodes of its graph.

namespace ctq {

/// How the numbers of the module's graph continue those of the graph around it.
struct join_offsets {
  int observers_around = 0;  // of the prepared graphs; numbers after them are those of inputs
  int observers_inside = 0;  //
  int qconfigs = 0;          // entries of the mapping around
  int patterns = 0;          // configs of the backend around
};

namespace joining {

/// Writes the graph. Names has the names of the module's nodes in the graph around it.
template <class Around, class Inside, class Names, class Out>
class joined {
 public:
  constexpr joined(const Around& around, std::string_view path, const Inside& inside, Names names,
                   const join_offsets& by, Out& out)
      : around_(around), inside_(inside), names_(names), by_(by), out_(out) {
    out_.observers = around.observers + by.observers_inside;
    resize(moved_, around.count);
    resize(inside_moved_, inside.count);
    for (int i = 0; i < around.count; ++i) {
      if (around.nodes[i].op->kind == op_kind::module && path_of(around.nodes[i]) == path) {
        call(i);
      } else {
        copy(i);
      }
    }
    out_.close(nodes_, args_);
  }

 private:
  [[nodiscard]] constexpr int arg(int i, int which) const {
    return moved_[around_.args[around_.nodes[i].first_arg + which]];
  }

  constexpr node& append(const node& n) {
    node& added = out_.nodes[nodes_++];
    added = n;
    added.first_arg = args_;
    return added;
  }

  /// Gives an integer node without an observer that of its first argument, whose qparams it has.
  constexpr void take_observer(node& n) const {
    if (is_quantized(n.dtype) && n.observer < 0 && n.arg_count > 0)
      n.observer = out_.nodes[out_.args[n.first_arg]].observer;
  }

  constexpr void copy(int i) {
    node& n = append(around_.nodes[i]);
    for (int a = 0; a < n.arg_count; ++a) out_.args[args_++] = arg(i, a);
    if (n.observer >= by_.observers_around) n.observer += by_.observers_inside;
    take_observer(n);
    moved_[i] = nodes_ - 1;
  }

  /// Replaces the node of the module by its graph, whose inputs are the arguments.
  constexpr void call(int i) {
    if (was_called_) return report(i, "compiled code calls it once", nullptr, nullptr);
    was_called_ = true;
    int input = 0;
    for (int k = 0; k < inside_.count; ++k) {
      const node& n = inside_.nodes[k];
      if (n.op->kind == op_kind::output) {
        moved_[i] = inside_moved_[inside_.args[n.first_arg]];
        compare(i, out_.nodes[moved_[i]], around_.nodes[i], "gives", "is read as");
      } else if (n.op->kind != op_kind::placeholder) {
        copy_inside(k);
      } else if (input < around_.nodes[i].arg_count) {
        inside_moved_[k] = arg(i, input++);
        compare(i, n, out_.nodes[inside_moved_[k]], "reads", "is given");
      }
    }
  }

  constexpr void copy_inside(int k) {
    node& n = append(inside_.nodes[k]);
    n.name = names_.name(k);
    n.batch_norm = names_.batch_norm(k);
    for (int a = 0; a < n.arg_count; ++a)
      out_.args[args_++] = inside_moved_[inside_.args[inside_.nodes[k].first_arg + a]];
    if (n.choice.qconfig >= 0) n.choice.qconfig += by_.qconfigs;
    if (n.choice.pattern >= 0) n.choice.pattern += by_.patterns;
    if (n.observer >= by_.observers_inside) {
      n.observer = of_input(n.observer);
    } else if (n.observer >= 0) {
      n.observer += by_.observers_around;
    }
    take_observer(n);
    inside_moved_[k] = nodes_ - 1;
  }

  /// The observer, in the graph around the module, of the value that is passed for an input of the
  /// module. `number` is the observer of that input in the module.
  [[nodiscard]] constexpr int of_input(int number) const {
    for (int k = 0; k < inside_.count; ++k)
      if (inside_.nodes[k].op->kind == op_kind::placeholder && inside_.nodes[k].observer == number)
        return out_.nodes[inside_moved_[k]].observer;
    return -1;
  }

  constexpr void compare(int i, const node& a, const node& b, const char* of_a, const char* of_b) {
    const bool as_integers = Around::at == stage::lowered && a.dtype != b.dtype;
    if (as_integers || a.shape != b.shape) report(i, nullptr, of_a, of_b, &a, &b);
  }

  constexpr void report(int i, const char* what, const char* of_a, const char* of_b,
                        const node* a = nullptr, const node* b = nullptr) {
    if (out_.problem.any()) return;
    out_.problem.line("the standalone module").line("node: ", around_.nodes[i].name);
    if (what != nullptr) {
      out_.problem.line(what);
      return;
    }
    out_.problem.line(of_a, " ", name_of(a->dtype), " ");
    append_shape(out_.problem.text, a->shape);
    out_.problem.line(of_b, " ", name_of(b->dtype), " ");
    append_shape(out_.problem.text, b->shape);
  }

  const Around& around_;
  const Inside& inside_;
  Names names_;
  join_offsets by_;
  Out& out_;
  scratch_array<int, Around::max_nodes> moved_{};
  scratch_array<int, Inside::max_nodes> inside_moved_{};
  int nodes_ = 0;
  int args_ = 0;
  bool was_called_ = false;
};

}  // namespace joining

/// Writes the graph around a module with the module's graph in it, both of one stage.
///   path   of the module
///   out    has room for the nodes and arguments of both
///   names  has name(k) and batch_norm(k): those of the module's node k in the graph around it
/// Errors  in out.problem, unless it has one: a module that is called twice; inputs or outputs of
///         another dtype or shape than the graph around it has there
template <class Around, class Inside, class Names, class Out>
constexpr void join_into(const Around& around, std::string_view path, const Inside& inside,
                         Names names, const join_offsets& by, Out& out) {
  joining::joined<Around, Inside, Names, Out>{around, path, inside, names, by, out};
}

}  // namespace ctq
