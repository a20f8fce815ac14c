// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/passes/planned_dtypes.hpp"

// The positions of observers, and which of them are the same instance.
//
// A value can have observers of two kinds: one after its node, for all readers, and others before
// single readers that need another dtype. Sharing does not merge groups: it assigns another
// instance to the observers that it reaches (so a later cat can split the group of an earlier one),
// as in PyTorch.

namespace ctq::preparing {

/// Whether PyTorch considers both to be of the same class: it does not look into fake quantizes.
constexpr bool is_same_class(const observer_record& a, const observer_record& b) {
  if (a.fake_quantize != b.fake_quantize) return false;
  return a.fake_quantize != fake_quantize_class::none || a.type == b.type;
}

/// Observers are numbered in the order in which they are added; an instance has the number of its
/// first observer.
template <class Graph>
class observer_placement {
 public:
  constexpr observer_placement(const Graph& g, semantics s) : g_(g), semantics_(s) {
    const int most = g.count + g.arg_total();
    resize_all(g.count, first_, last_, output_observer_);
    resize(before_, g.arg_total());
    resize_all(most, after_, instance_, next_, previous_, removed_, record_, qconfig_);
    for (int i = 0; i < g.count; ++i) first_[i] = last_[i] = output_observer_[i] = -1;
    for (int a = 0; a < g.arg_total(); ++a) before_[a] = -1;
  }

  /// Adds an observer after a node, before all its readers.
  ///   qconfig  the entry of the mapping that requests it
  constexpr void add_after(int i, const observer_record* record, int qconfig) {
    output_observer_[i] = add(i, -1, record, qconfig);
  }

  /// Adds an observer before one argument, unless another reader has requested an equal one.
  constexpr void add_before(int edge, const observer_record* record, int qconfig) {
    const int producer = g_.args[edge];
    const int after = output_observer_[producer];
    before_[edge] = find_like(producer, after, record);
    if (before_[edge] < 0) before_[edge] = add(producer, after, record, qconfig);
  }

  /// Adds an observer before one argument, even if there is an equal one: each output of the model
  /// has its own.
  constexpr void add_own(int edge, const observer_record* record, int qconfig) {
    const int producer = g_.args[edge];
    before_[edge] = add(producer, output_observer_[producer], record, qconfig);
  }

  /// Gives the output of i, and the elements of its list, the observer of its first input; removes
  /// the output's observer if there is none to share.
  constexpr void share(int i) {
    if (make_shared(i)) return;
    removed_[output_observer_[i]] = true;
    output_observer_[i] = -1;
  }

  /// Whether an argument reads its producer's value without an observer between.
  [[nodiscard]] constexpr bool is_bare(int edge) const {
    return before_[edge] < 0 && output_observer_[g_.args[edge]] < 0;
  }

  /// Writes the graph with the observers in it, numbered in graph order.
  ///   choices  by node
  template <class Choices, class Out>
  constexpr void write(const Choices& choices, const dtype_plan<Graph>& plan, Out& out) const {
    writer<Out> all{*this, out};
    const int most = g_.count + count_;
    out.open(most, g_.arg_total() + count_);
    resize_all(count_, all.number, all.at);
    resize(all.moved, g_.count);
    for (int a = 0; a < count_; ++a) all.number[a] = -1;
    for (int i = 0; i < g_.count; ++i) {
      all.add(i);
      out.nodes[all.moved[i]].choice = choices[i];
      // A mask is an input of floats that is not observed.
      const dtype planned = plan.dtypes[i].output;
      if (g_.nodes[i].op->kind == op_kind::placeholder && planned != f32 && planned != dtype::none)
        out.nodes[all.moved[i]].dtype = planned;
      if (last_[i] >= 0) all.add_observers(i, -1, all.moved[i]);
    }
    out.close(all.nodes, all.args);
  }

 private:
  static constexpr std::size_t max_nodes = Graph::max_nodes;
  static constexpr std::size_t max_args = Graph::max_args;
  static constexpr std::size_t max_observers = max_nodes + max_args;

  constexpr int add(int producer, int after, const observer_record* record, int qconfig) {
    const int added = count_++;
    after_[added] = after;
    instance_[added] = added;
    record_[added] = record;
    qconfig_[added] = qconfig;
    next_[added] = -1;
    previous_[added] = last_[producer];
    if (last_[producer] < 0) {
      first_[producer] = added;
    } else {
      next_[last_[producer]] = added;
    }
    last_[producer] = added;
    return added;
  }

  /// The first equal observer at the same place.
  [[nodiscard]] constexpr int find_like(int producer, int after,
                                        const observer_record* wanted) const {
    for (int a = first_[producer]; a >= 0; a = next_[a]) {
      if (after_[a] != after || removed_[a]) continue;
      const observer_record* const other = record_[instance_[a]];
      if (other == wanted || *other == *wanted) return a;
      if (observers_are_shared_by_class_and_dtype(semantics_) && is_same_class(*other, *wanted) &&
          other->args.dtype == wanted->args.dtype)
        return a;
    }
    return -1;
  }

  template <class Out>
  struct writer {
    const observer_placement& of;
    Out& out;
    scratch_array<int, max_observers> number{};  // by instance, -1: none yet
    scratch_array<int, max_nodes> moved{};       // by node: its new index
    scratch_array<int, max_observers> at{};      // by observer: its node
    int nodes = 0;
    int args = 0;

    /// Appends a node of the fused graph, which reads the observers of its arguments.
    constexpr void add(int i) {
      out.nodes[nodes] = of.g_.nodes[i];
      out.nodes[nodes].first_arg = args;
      const int first = of.g_.nodes[i].first_arg;
      for (int edge = first; edge < first + of.g_.nodes[i].arg_count; ++edge) {
        const int producer = of.g_.args[edge];
        const int seen = of.before_[edge] >= 0 ? of.before_[edge] : of.output_observer_[producer];
        out.args[args++] = seen >= 0 ? at[seen] : moved[producer];
      }
      moved[i] = nodes++;
    }

    /// Appends the observers of node i that follow `after`, the last added first, as torch.fx
    /// inserts them, each with those that follow it.
    constexpr void add_observers(int i, int after, int from) {
      for (int a = of.last_[i]; a >= 0; a = of.previous_[a]) {
        if (of.after_[a] != after || of.removed_[a]) continue;
        const int instance = of.instance_[a];
        if (number[instance] < 0) number[instance] = out.observers++;
        out.nodes[nodes].name = q::activation_post_process.id()->name;
        out.nodes[nodes].number = a;
        out.nodes[nodes].op = q::activation_post_process.id();
        out.nodes[nodes].shape = of.g_.nodes[i].shape;
        out.nodes[nodes].choice.qconfig = of.qconfig_[instance];
        out.nodes[nodes].observer_config = of.record_[instance];
        out.nodes[nodes].observer = number[instance];
        out.nodes[nodes].first_arg = args;
        out.nodes[nodes].arg_count = 1;
        out.args[args++] = from;
        at[a] = nodes++;
        if (of.first_[i] != of.last_[i]) add_observers(i, a, at[a]);
      }
    }
  };

  /// The observer that an argument reads from, or -1.
  [[nodiscard]] constexpr int seen_by(int edge) const {
    return before_[edge] >= 0 ? before_[edge] : output_observer_[g_.args[edge]];
  }

  /// The argument of node i through which climb() continues: the first node among its positional
  /// arguments; -1 if there is none.
  [[nodiscard]] constexpr int first_edge(int i) const {
    const int first = g_.nodes[i].first_arg;
    if (g_.nodes[i].arg_count == 0) return -1;
    if (g_.nodes[i].row == nullptr) return g_.nodes[i].op->descriptor->takes_list ? -1 : first;
    const list<argument_place> places = places_of(g_, i);
    for (int a = 0; a < g_.nodes[i].arg_count; ++a)
      if (places[a].position >= 0 && !places[a].in_list) return first + a;
    return -1;
  }

  /// The first observer on the way from an argument towards the inputs, or -1.
  [[nodiscard]] constexpr int climb(int edge) const {
    while (edge >= 0) {
      const int seen = seen_by(edge);
      if (seen >= 0) return seen;
      edge = first_edge(g_.args[edge]);
    }
    return -1;
  }

  constexpr bool make_shared(int i) {
    if (g_.nodes[i].arg_count == 0) return false;
    const int first = g_.nodes[i].first_arg;
    const linked_arguments linked = linked_arguments_of(i);
    const int source = linked.count > 0 ? climb(first + linked.first) : -1;
    if (source < 0) return false;
    const int instance = instance_[source];
    for (int a = 1; a < linked.count; ++a) {
      const int other = climb(first + linked.first + a);
      if (other < 0) return false;
      instance_[other] = instance;
    }
    instance_[output_observer_[i]] = instance;
    return true;
  }

  /// The arguments that share one observer: the elements of a list; of an op without a list only
  /// the first argument.
  struct linked_arguments {
    int first = 0;
    int count = 0;
  };
  [[nodiscard]] constexpr linked_arguments linked_arguments_of(int i) const {
    const int args = g_.nodes[i].arg_count;
    if (g_.nodes[i].row == nullptr) return {0, g_.nodes[i].op->descriptor->takes_list ? args : 1};
    const list<argument_place> places = places_of(g_, i);
    linked_arguments linked;
    while (linked.first < args && places[linked.first].position < 0) ++linked.first;
    for (int a = linked.first; a < args; ++a) {
      const bool same_list =
          places[a].in_list && places[a].position == places[linked.first].position;
      if (a == linked.first || same_list) ++linked.count;
    }
    return linked;
  }

  const Graph& g_;
  semantics semantics_{};
  scratch_array<int, max_nodes> first_{};            // by node: its first observer
  scratch_array<int, max_nodes> last_{};             //
  scratch_array<int, max_nodes> output_observer_{};  // by node: the observer for all its readers
  scratch_array<int, max_args> before_{};            // by argument: its own observer
  scratch_array<int, max_observers> after_{};  // by observer: the one it follows; -1: the producer
  scratch_array<int, max_observers> instance_{};  //
  scratch_array<int, max_observers> next_{};      // of the same producer
  scratch_array<int, max_observers> previous_{};  //
  scratch_array<bool, max_observers> removed_{};  //
  scratch_array<int, max_observers> qconfig_{};   // by instance: the entry of the mapping
  scratch_array<const observer_record*, max_observers> record_{};  // by instance
  int count_ = 0;
};

}  // namespace ctq::preparing
