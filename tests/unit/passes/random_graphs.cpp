// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <numeric>
#include <string>
#include <vector>

#include "ctq/passes/convert.hpp"
#include "ctq/passes/fuse.hpp"
#include "ctq/passes/lower/lower.hpp"
#include "ctq/passes/prepare.hpp"
#include "ctq/passes/schedule/schedule.hpp"
#include "graph_formula.hpp"
#include "graphs.hpp"
#include "random_configs.hpp"
#include "walk.hpp"

// What holds for the passes whatever the model: a thousand random ones, with random modules in
// float, for one of several backends. Each run has its own; CTQ_SEED makes one again.

using namespace ctq;
using namespace random_configs;

namespace {

/// Arguments are earlier nodes; only the output is read by nobody, if dead nodes are not allowed.
template <stage Stage>
std::string disorder(graph_view<Stage> g, bool dead_allowed) {
  const list<int> users = count_users(g);
  for (int i = 0; i < g.size(); ++i) {
    for (const int a : g.args_of(i))
      if (a < 0 || a >= i) return graphs::name_at(g, i) + " reads what is not there yet";
    const bool door = g[i].op->kind == op_kind::output || g[i].op->kind == op_kind::placeholder;
    if (!dead_allowed && !door && users[static_cast<std::size_t>(i)] == 0)
      return graphs::name_at(g, i) + " is dead";
  }
  return g[g.size() - 1].op->kind == op_kind::output ? "" : "the output is not last";
}

/// Every observer has one qconfig, and its number is in range.
std::string observer_trouble(graph_view<stage::prepared> g, const mapping_view& m) {
  std::vector<const observer_record*> record(static_cast<std::size_t>(g.observers), nullptr);
  for (int i = 0; i < g.size(); ++i) {
    const bool app = is_any_of(g[i].op, q::activation_post_process);
    if (app != (g[i].observer >= 0)) return graphs::name_at(g, i) + " has an observer of its own";
    if (!app) continue;
    if (g[i].observer >= g.observers) return "an observer too many";
    const observer_record*& r = record[static_cast<std::size_t>(g[i].observer)];
    const observer_record& own = m.entries[g[i].choice.qconfig].qconfig.activation;
    if (r != nullptr && *r != own) return "an observer with two qconfigs";
    r = &own;
  }
  for (const observer_record* r : record)
    if (r == nullptr) return "an observer that sees nothing";
  return "";
}

/// Quantized values have qparams, float ones none; ops get the kind they compute on.
std::string edge_trouble(graph_view<stage::lowered> g) {
  for (int i = 0; i < g.size(); ++i) {
    const node& n = g[i];
    if (is_quantized(n.dtype) != (n.observer >= 0) && !is_any_of(n.op, q::dequantize))
      return graphs::name_at(g, i) + ": qparams and dtype differ";
    const bool crosses = is_any_of(n.op, q::quantize_per_tensor, q::dequantize);
    const bool output = n.op->kind == op_kind::output;
    for (int a = 0; a < n.arg_count; ++a) {
      const node& from = g.arg(i, a);
      const bool same_kind = is_quantized(from.dtype) == is_quantized(n.dtype);
      if (!output && same_kind == crosses) return graphs::name_at(g, i) + " reads the wrong kind";
      if (is_quantized(n.dtype) && lowering::keeps_qparams(n.op) && from.observer != n.observer)
        return graphs::name_at(g, i) + " moves steps between qparams";
    }
  }
  return "";
}

/// A module that the user left in float is not on integers. A later call of another module is that
/// module.
std::string broken_promise(graph_view<stage::lowered> g, const mapping_view& m) {
  for (int e = 0; e < m.count; ++e) {
    if (m.entries[e].quantizes) continue;
    const int i = find(g, m.entries[e].module);
    if (i >= 0 && path_of(g[i]) == g[i].name && g[i].op->kind == op_kind::module &&
        is_quantized(g[i].dtype))
      return graphs::name_at(g, i) + " was to stay in float";
  }
  return "";
}

/// Which observers may be one and the same: those that ops which keep their input's range join, as
/// classes. (Not all of a class are the same: a later cat can take one out of an earlier group.)
class sharing {
 public:
  sharing(graph_view<stage::prepared> g, const backend_view& backend)
      : g_(g), class_(static_cast<std::size_t>(g.size())) {
    std::iota(class_.begin(), class_.end(), 0);
    for (int i = 0; i < g.size(); ++i) {
      if (!is_app(i) || !keeps_range(g.args_of(i)[0], backend)) continue;
      const int op = g.args_of(i)[0];
      const int linked = g[op].op->descriptor->takes_list ? g[op].arg_count : 1;
      for (int a = 0; a < linked; ++a) join(i, climb(g.args_of(op)[a]));
    }
  }

  [[nodiscard]] int class_of(int i) const {
    while (class_[static_cast<std::size_t>(i)] != i) i = class_[static_cast<std::size_t>(i)];
    return i;
  }

 private:
  [[nodiscard]] bool is_app(int i) const { return is_any_of(g_[i].op, q::activation_post_process); }
  [[nodiscard]] bool keeps_range(int i, const backend_view& backend) const {
    const choice& c = g_[i].choice;
    return c.quantized() && backend.configs[c.pattern].observation_for(g_[i].arg_count) ==
                                observation_type::output_share_observer_with_input;
  }
  /// The first observer on the way to the inputs, or -1.
  [[nodiscard]] int climb(int i) const {
    while (!is_app(i)) {
      if (g_[i].arg_count == 0 || g_[i].op->descriptor->takes_list) return -1;
      i = g_.args_of(i)[0];
    }
    return i;
  }
  void join(int i, int other) {
    if (other >= 0) class_[static_cast<std::size_t>(class_of(i))] = class_of(other);
  }

  graph_view<stage::prepared> g_;
  std::vector<int> class_;
};

/// Observers with one number that no op has joined.
std::string strangers(graph_view<stage::prepared> g, const backend_view& backend) {
  const sharing shares(g, backend);
  std::vector<int> first(static_cast<std::size_t>(g.observers), -1);
  for (int i = 0; i < g.size(); ++i) {
    if (g[i].observer < 0) continue;
    int& other = first[static_cast<std::size_t>(g[i].observer)];
    if (other < 0) other = i;
    if (shares.class_of(i) != shares.class_of(other))
      return graphs::name_at(g, i) + " and " + graphs::name_at(g, other) + " share for no reason";
  }
  return "";
}

/// A model with all that the passes make of it.
struct passed {
  explicit passed(random_model& m)
      : traced(m.graph().view()), mapping(m), backend(random_backend(m)) {}

  graph_view<stage::traced> traced;
  random_mapping mapping;
  backend_view backend;
  dynamic_graph<stage::fused> fused = fuse(traced, backend);
  dynamic_graph<stage::prepared> prepared =
      prepare_graph(fused.view(), backend, mapping.view(), unsupported::skip);
  dynamic_graph<stage::reference> reference =
      convert_graph(prepared.view(), backend, mapping.view());
  dynamic_graph<stage::lowered> lowered = lower(reference.view());
};

/// The first trouble of several, with where it was found and the graph there.
template <stage Stage>
void expect(std::string& trouble, graph_view<Stage> g, const std::string& found,
            const char* where) {
  if (trouble.empty() && !found.empty())
    trouble = std::string(where) + ": " + found + "\n" + graphs::print(g);
}

constexpr unsigned models = 1000;

TEST_CASE("every quantized edge of a random model has the qparams of its one producer") {
  int integer_ops = 0;
  int float_ops = 0;
  check_random_models(models, [&](random_model& m) {
    const passed p(m);
    const graph_view<stage::lowered> lowered = p.lowered.view();
    std::string trouble;
    expect(trouble, lowered, edge_trouble(lowered), "lowered");
    for (int i = 0; i < lowered.size(); ++i) {
      const op_kind kind = lowered[i].op->kind;
      if (kind != op_kind::module && kind != op_kind::function) continue;
      ++(is_quantized(lowered[i].dtype) ? integer_ops : float_ops);
    }
    return trouble;
  });
  CHECK(integer_ops > static_cast<int>(model_count(models)));  // both kinds are there
  CHECK(float_ops > static_cast<int>(model_count(models)));
}

TEST_CASE("observers of one number are those that ops of a random model have joined") {
  int shared = 0;
  check_random_models(models, [&](random_model& m) {
    const passed p(m);
    const graph_view<stage::prepared> g = p.prepared.view();
    std::string trouble;
    expect(trouble, g, observer_trouble(g, p.mapping.view()), "prepared");
    expect(trouble, g, strangers(g, p.backend), "prepared");
    shared -= g.observers;
    for (int i = 0; i < g.size(); ++i) shared += g[i].observer >= 0 ? 1 : 0;
    return trouble;
  });
  CHECK(shared > 1000);
}

TEST_CASE("the memory plan of a random model never overlaps live tensors") {
  check_random_models(models, [](random_model& m) {
    const passed p(m);
    std::string trouble;
    const auto walk = [&](auto g, const char* where) {
      expect(trouble, g, walking::complaint(g, schedule(g)), where);
    };
    walk(p.traced, "traced");
    walk(p.prepared.view(), "prepared");
    walk(p.reference.view(), "reference");
    walk(p.lowered.view(), "lowered");
    return trouble;
  });
}

TEST_CASE("a random model means the same after every pass") {
  check_random_models(models, [](random_model& m) {
    const passed p(m);
    const auto same = [](bool equal) { return std::string{equal ? "" : "another meaning"}; };
    const graph_formula::formula of_model = graph_formula::of(p.traced);
    std::string trouble;
    expect(trouble, p.fused.view(), same(graph_formula::of(p.fused.view()) == of_model), "fused");
    expect(trouble, p.prepared.view(), same(graph_formula::of(p.prepared.view()) == of_model),
           "prepared");
    expect(trouble, p.lowered.view(),
           same(graph_formula::of(p.lowered.view()) == graph_formula::of(p.reference.view())),
           "lowered");
    return trouble;
  });
}

TEST_CASE("the passes keep the order of a random model and what is to stay in float") {
  check_random_models(models, [](random_model& m) {
    const passed p(m);
    std::string trouble;
    expect(trouble, p.fused.view(), disorder(p.fused.view(), true), "fused");
    expect(trouble, p.prepared.view(), disorder(p.prepared.view(), true), "prepared");
    expect(trouble, p.reference.view(), disorder(p.reference.view(), true), "reference");
    expect(trouble, p.lowered.view(), disorder(p.lowered.view(), false), "lowered");
    expect(trouble, p.lowered.view(), broken_promise(p.lowered.view(), p.mapping.view()),
           "lowered");
    return trouble;
  });
}

}  // namespace
