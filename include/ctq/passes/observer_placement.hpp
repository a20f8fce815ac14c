// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/passes/planned_dtypes.hpp"

// Where observers stand, and which of them are one and the same.
//
// A value can have observers of two kinds: one behind the node, which all its readers see from then
// on, and others before single readers that need another dtype. Sharing does not join groups: it
// names another instance for the observers that it can see (so a later cat can split the group of
// an earlier one), as in PyTorch.

namespace ctq::preparing {

/// An activation_post_process. Its number is its index.
struct app {
  int producer{};  // node of the fused graph
  int after = -1;  // the observer it stands behind; -1: the producer itself
  int instance{};
  int next = -1;  // of the same producer
  bool removed = false;
};

/// What an observer is made with.
struct app_instance {
  const observer_record* record{};
  int qconfig{};  // entry of the mapping
};

/// One and the same class to PyTorch's eyes: a fake quantize is asked no further.
constexpr bool is_same_class(const observer_record& a, const observer_record& b) {
  if (a.fake_quantize != b.fake_quantize) return false;
  return a.fake_quantize != fake_quantize_class::none || a.type == b.type;
}

class observer_placement {
 public:
  constexpr observer_placement(graph_view<stage::fused> g, semantics s)
      : g_(g),
        semantics_(s),
        first_app_(g.size(), -1),
        behind_(g.size(), -1),
        before_(g.arg_total(), -1) {}

  /// An observer behind a node, in front of all its readers.
  constexpr void add_behind(int i, const app_instance& with) { behind_[i] = add(i, -1, with); }

  /// An observer in front of one argument. The same reader, or another that wants the like, may
  /// have asked for it before.
  constexpr void add_before(int edge, const app_instance& with) {
    const int producer = g_.args[edge];
    const int after = behind_[producer];
    before_[edge] = find_like(producer, after, with);
    if (before_[edge] < 0) before_[edge] = add(producer, after, with);
  }

  /// Gives the output of i, and the elements of its list, the observer of its first input; takes
  /// the output's observer away if there is none to share.
  constexpr void share(int i) {
    if (make_shared(i)) return;
    apps_[behind_[i]].removed = true;
    behind_[i] = -1;
  }

  /// Does what an argument reads come straight from its producer?
  [[nodiscard]] constexpr bool is_bare(int edge) const {
    return before_[edge] < 0 && behind_[g_.args[edge]] < 0;
  }

  /// The graph with the observers in it, numbered in graph order.
  template <class Finish>
  [[nodiscard]] constexpr dynamic_graph<stage::prepared> graph(Finish finish) const {
    dynamic_graph<stage::prepared> out;
    out.reserve(g_.size() + static_cast<int>(apps_.size()),
                g_.arg_total() + static_cast<int>(apps_.size()));
    list<int> args;
    list<int> id(instances_.size(), -1);
    list<int> moved(g_.size(), -1);
    list<int> app_node(apps_.size(), -1);
    for (int i = 0; i < g_.size(); ++i) {
      args.clear();
      for (int a = 0; a < g_[i].arg_count; ++a) {
        const int edge = g_[i].first_arg + a;
        const int producer = g_.args[edge];
        const int seen = before_[edge] >= 0 ? before_[edge] : behind_[producer];
        args.push_back(seen >= 0 ? app_node[seen] : moved[producer]);
      }
      moved[i] = out.add(g_[i], args);
      finish(i, out.nodes.back());
      emit(out, i, -1, moved[i], id, app_node);
    }
    return out;
  }

 private:
  constexpr int add(int producer, int after, const app_instance& with) {
    const auto added = static_cast<int>(apps_.size());
    apps_.push_back({producer, after, static_cast<int>(instances_.size())});
    instances_.push_back(with);
    int* end = &first_app_[producer];
    while (*end >= 0) end = &apps_[*end].next;
    *end = added;
    return added;
  }

  /// The first observer at the same place that another reader has asked for in the same way.
  [[nodiscard]] constexpr int find_like(int producer, int after, const app_instance& with) const {
    for (int a = first_app_[producer]; a >= 0; a = apps_[a].next) {
      if (apps_[a].after != after || apps_[a].removed) continue;
      const observer_record& other = *instances_[apps_[a].instance].record;
      if (&other == with.record || other == *with.record) return a;
      if (observers_meet_by_class_and_dtype(semantics_) && is_same_class(other, *with.record) &&
          other.args.dtype == with.record->args.dtype)
        return a;
    }
    return -1;
  }

  /// Appends the observers of node i that stand behind `after`, the youngest first, as torch.fx
  /// inserts them, each with its own behind it.
  constexpr void emit(dynamic_graph<stage::prepared>& out, int i, int after, int from,
                      list<int>& id, list<int>& app_node) const {
    int count = 0;
    for (int a = first_app_[i]; a >= 0; a = apps_[a].next) ++count;
    for (int k = count - 1; k >= 0; --k) {
      int a = first_app_[i];
      for (int skip = 0; skip < k; ++skip) a = apps_[a].next;
      if (apps_[a].after != after || apps_[a].removed) continue;
      int& number = id[apps_[a].instance];
      if (number < 0) number = out.observers++;
      const app_instance& with = instances_[apps_[a].instance];
      node n{.name = q::activation_post_process.name,
             .number = a,
             .op = q::activation_post_process.id()};
      n.shape = g_[i].shape;
      n.choice.qconfig = with.qconfig;
      n.app = with.record;
      n.observer = number;
      app_node[a] = out.add(n, from);
      emit(out, i, a, app_node[a], id, app_node);
    }
  }

  /// The observer that an argument reads from, or -1.
  [[nodiscard]] constexpr int seen_by(int edge) const {
    return before_[edge] >= 0 ? before_[edge] : behind_[g_.args[edge]];
  }

  /// The argument of node i that climbing goes through: the first node among its positional
  /// arguments; -1 if there is none.
  [[nodiscard]] constexpr int first_edge(int i) const {
    if (g_[i].arg_count == 0) return -1;
    if (g_[i].row == nullptr) return takes_list(g_[i].op) ? -1 : g_[i].first_arg;
    const list<argument_place> places = places_of(g_, i);
    for (int a = 0; a < g_[i].arg_count; ++a)
      if (places[a].position >= 0 && !places[a].in_list) return g_[i].first_arg + a;
    return -1;
  }

  /// The first observer met when climbing from an argument towards the inputs, or -1.
  [[nodiscard]] constexpr int climb(int edge) const {
    while (edge >= 0) {
      const int seen = seen_by(edge);
      if (seen >= 0) return seen;
      edge = first_edge(g_.args[edge]);
    }
    return -1;
  }

  constexpr bool make_shared(int i) {
    const node& n = g_[i];
    if (n.arg_count == 0) return false;
    const linked_arguments linked = linked_arguments_of(i);
    const int source = linked.count > 0 ? climb(n.first_arg + linked.first) : -1;
    if (source < 0) return false;
    const int instance = apps_[source].instance;
    for (int a = 1; a < linked.count; ++a) {
      const int other = climb(n.first_arg + linked.first + a);
      if (other < 0) return false;
      apps_[other].instance = instance;
    }
    apps_[behind_[i]].instance = instance;
    return true;
  }

  /// The arguments that get one observer: the elements of a list, of other ops only the first.
  struct linked_arguments {
    int first = 0;
    int count = 0;
  };
  [[nodiscard]] constexpr linked_arguments linked_arguments_of(int i) const {
    const node& n = g_[i];
    if (n.row == nullptr) return {0, takes_list(n.op) ? n.arg_count : 1};
    const list<argument_place> places = places_of(g_, i);
    linked_arguments linked;
    while (linked.first < n.arg_count && places[linked.first].position < 0) ++linked.first;
    for (int a = linked.first; a < n.arg_count; ++a) {
      const bool same_list =
          places[a].in_list && places[a].position == places[linked.first].position;
      if (a == linked.first || same_list) ++linked.count;
    }
    return linked;
  }

  graph_view<stage::fused> g_;
  semantics semantics_{};
  list<int> first_app_;  // by node: of the observers that see its output
  list<int> behind_;     // by node: the observer that all its readers see
  list<int> before_;     // by argument: an observer of its own
  list<app> apps_;
  list<app_instance> instances_;
};

}  // namespace ctq::preparing
