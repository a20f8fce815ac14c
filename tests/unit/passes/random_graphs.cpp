// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "ctq/backends/x86.hpp"
#include "ctq/passes/convert.hpp"
#include "ctq/passes/fuse.hpp"
#include "ctq/passes/lower.hpp"
#include "ctq/passes/prepare.hpp"
#include "ctq/passes/schedule.hpp"
#include "graphs.hpp"
#include "meaning.hpp"
#include "own_ops.hpp"
#include "random_model.hpp"
#include "walk.hpp"

// What holds for the passes whatever the model: a thousand random ones, with residuals, cats and
// dead ends, and random wishes of what is to stay in float.

using namespace ctq;

namespace {

using int8 = dtype_configs<weighted_int8>;

/// Quantizes conv and relu together without fusing them, and cats with qparams of their own.
struct no_fusion
    : backend_config<
          "no_fusion", backend_pattern_config<pattern<nn::conv2d>, dtype_configs<weighted_int8>>,
          backend_pattern_config<pattern<nn::conv2d, nn::relu>, dtype_configs<weighted_int8>>,
          backend_pattern_config<pattern<nn::linear>, dtype_configs<weighted_int8>>,
          backend_pattern_config<pattern<nn::linear, fn::relu>, dtype_configs<weighted_int8>>,
          rows::arithmetic<int8, op::add>, rows::arithmetic<int8, op::add, nn::relu>,
          rows::sharing<dtype_configs<activation_int8>, nn::relu>,
          backend_pattern_config<pattern<fn::relu>, dtype_configs<activation_int8>>,
          backend_pattern_config<pattern<fn::cat>, dtype_configs<activation_int8>>,
          backend_pattern_config<pattern<nn::max_pool2d>, dtype_configs<activation_int8>>,
          rows::sharing<dtype_configs<activation_int8>, fn::flatten>> {};

/// Trees, and an op that is not observed.
struct with_trees
    : x86::set<"with_trees",
               backend_pattern_config<pattern<nested<op::add, match_all, nn::linear>>,
                                      dtype_configs<weighted_int8>>,
               backend_pattern_config<pattern<nested<fn::add, nn::conv2d, match_all>, nn::relu>,
                                      dtype_configs<weighted_int8>>,
               rows::plain<dtype_configs<activation_int8>, own::swish>,
               rows::plain<dtype_configs<activation_int8>, own::reverse>,
               rows::plain<dtype_configs<activation_int8>, own::add_swish>,
               backend_pattern_config<pattern<nn::flatten>, dtype_configs<activation_int8>,
                                      observation<observation_type::input_output_not_observed>>> {};

/// A mapping with some modules in float and some with another range.
struct random_mapping {
  using usual = qconfig<histogram_observer<>, per_channel_min_max_observer<>>;
  using narrow =
      qconfig<histogram_observer<{.reduce_range = true}>, per_channel_min_max_observer<>>;

  explicit random_mapping(random_model& m) {
    entries.push_back(global<usual>::value);
    if (m.chance(30)) entries.push_back(object_type<op::add, narrow>::value);
    if (m.chance(30)) entries.push_back(object_type<nn::conv2d, narrow>::value);
    if (m.chance(20)) entries.push_back(module_name_regex<R"(layer[12]\.)", narrow>::value);
    const graph_view<stage::traced> g = m.graph().view();
    if (m.chance(50)) return;
    for (int i = 0; i < g.size(); ++i) {
      mapping_entry e = allow_float<"">::value;
      e.module = g[i].name;
      if (m.chance(15)) entries.push_back(e);
    }
  }

  [[nodiscard]] mapping_view view() const {
    return {entries.data(), static_cast<int>(entries.size())};
  }

  std::vector<mapping_entry> entries;
};

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
      if (is_quantized(n.dtype) && lowering::keeps_steps(n.op) && from.observer != n.observer)
        return graphs::name_at(g, i) + " moves steps between qparams";
    }
  }
  return "";
}

/// A module that the user left in float is not on integers.
std::string broken_promise(graph_view<stage::lowered> g, const mapping_view& m) {
  for (int e = 0; e < m.count; ++e) {
    if (m.entries[e].quantizes) continue;
    const int i = find(g, m.entries[e].module);
    if (i >= 0 && g[i].op->kind == op_kind::module && is_quantized(g[i].dtype))
      return graphs::name_at(g, i) + " was to stay in float";
  }
  return "";
}

struct outcome {
  std::string trouble;
  int integer_ops = 0;
  int float_ops = 0;
};

outcome run(unsigned seed) {
  random_model m(seed);
  const graph_view<stage::traced> traced = m.graph().view();
  if (m.graph().problem.any()) return {std::string{m.graph().problem.message()}};
  const random_mapping mapping(m);
  const backend_view backends[] = {backend_v<x86>, backend_v<x86>, backend_v<no_fusion>,
                                   backend_v<with_trees>};
  const backend_view backend = backends[m.below(4)];

  const auto fused = fuse(traced, backend);
  const auto prepared = prepare_graph(fused.view(), backend, mapping.view(), unsupported::skip);
  const auto reference = convert_graph(prepared.view(), backend, mapping.view());
  const auto lowered = lower(reference.view());

  outcome o;
  const auto expect = [&o](const std::string& trouble, const char* where) {
    if (o.trouble.empty() && !trouble.empty()) o.trouble = std::string{where} + ": " + trouble;
  };
  expect(disorder(fused.view(), true), "fused");
  expect(disorder(prepared.view(), true), "prepared");
  expect(disorder(reference.view(), true), "reference");
  expect(disorder(lowered.view(), false), "lowered");
  expect(observer_trouble(prepared.view(), mapping.view()), "prepared");
  expect(edge_trouble(lowered.view()), "lowered");
  expect(broken_promise(lowered.view(), mapping.view()), "lowered");

  const auto same = [](bool equal) { return std::string{equal ? "" : "another meaning"}; };
  expect(same(meaning::of(traced) == meaning::of(fused.view())), "fused");
  expect(same(meaning::of(traced) == meaning::of(prepared.view())), "prepared");
  expect(same(meaning::of(reference.view()) == meaning::of(lowered.view())), "lowered");

  expect(walking::complaint(traced, schedule(traced)), "schedule of the model");
  expect(walking::complaint(prepared.view(), schedule(prepared.view())), "observed schedule");
  expect(walking::complaint(reference.view(), schedule(reference.view())), "reference schedule");
  expect(walking::complaint(lowered.view(), schedule(lowered.view())), "int8 schedule");
  if (!o.trouble.empty()) o.trouble += "\n" + graphs::print(lowered.view());

  for (int i = 0; i < lowered.view().size(); ++i) {
    const node& n = lowered.view()[i];
    if (n.op->kind != op_kind::module && n.op->kind != op_kind::function) continue;
    ++(is_quantized(n.dtype) ? o.integer_ops : o.float_ops);
  }
  return o;
}

TEST_CASE("a thousand random models keep their meaning and their memory") {
  int integer_ops = 0;
  int float_ops = 0;
  const unsigned first = first_seed();
  MESSAGE("seeds from ", first);
  for (unsigned seed = first; seed != first + 1000; ++seed) {
    const outcome o = run(seed);
    CAPTURE(seed);
    REQUIRE(o.trouble == "");
    integer_ops += o.integer_ops;
    float_ops += o.float_ops;
  }
  CHECK(integer_ops > 1000);  // both kinds are there
  CHECK(float_ops > 1000);
}

}  // namespace
