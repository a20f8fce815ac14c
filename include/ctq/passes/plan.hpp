// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/core/report.hpp"
#include "ctq/graph/model.hpp"
#include "ctq/passes/convert.hpp"
#include "ctq/passes/fuse.hpp"
#include "ctq/passes/lower/lower.hpp"
#include "ctq/passes/lower/missing_kernel.hpp"
#include "ctq/passes/mapping_names.hpp"
#include "ctq/passes/prepare.hpp"
#include "ctq/passes/schedule/schedule.hpp"
#include "ctq/spec/validate.hpp"

// The results of the passes for a model, a backend and a mapping, one constant per stage:
//
//   Model -> fused_v -> prepared_v -> reference_v -> lowered_v
//
// and the schedule of each stage that runs. Each constant is keyed by short names, computed once,
// with its own limit of constexpr steps, and can be used in static_asserts.

namespace ctq {

namespace stages {

template <int Nodes>
struct entries {
  int of_node[Nodes > 0 ? Nodes : 1]{};
};

template <const auto& Fused, class Mapping>
constexpr auto resolve() {
  entries<Fused.count> found;
  resolve_qconfigs(Fused, mapping_v<Mapping>, semantics{}, found.of_node);
  return found;
}

/// By node: its entry of the mapping. Regular expressions take many constexpr steps, so this is a
/// separate constant.
template <const auto& Fused, class Mapping>
inline constexpr auto qconfigs_v = resolve<Fused, Mapping>();

// Upper bounds of what each pass adds. They are close, because unused elements of the constants
// cost memory in the program and compile time: 15 µs for a node, 9 µs for a step with clang 19.

/// Nodes and arguments that are added to those of a prepared graph.
struct growth {
  int converted = 0;    // an observer becomes two nodes
  int requantized = 0;  // an argument that must have the output's qparams
};

template <class Graph>
constexpr growth growth_of(const Graph& prepared) {
  growth more;
  for (int i = 0; i < prepared.count; ++i) {
    const op_id op = prepared.nodes[i].op;
    if (op == q::activation_post_process.id()) {
      ++more.converted;
    } else if (lowering::keeps_qparams(op)) {
      more.requantized += prepared.nodes[i].arg_count;
    }
  }
  return more;
}
template <const auto& Prepared>
inline constexpr growth growth_v = growth_of(Prepared);

/// One step per node, a transpose per argument, a copy per input of a cat; none for observers.
template <class Graph>
constexpr int most_steps(const Graph& g) {
  int steps = 0;
  for (int i = 0; i < g.count; ++i) {
    const op_id op = g.nodes[i].op;
    if (op == q::activation_post_process.id()) continue;
    steps += 1 + g.nodes[i].arg_count;
    if (op->descriptor->schedule.how == schedule_as::concat) steps += g.nodes[i].arg_count;
  }
  return steps;
}
template <const auto& Graph>
inline constexpr int most_steps_v = most_steps(Graph);

template <const auto& Model>
using fused = static_graph<stage::fused, Model.count, Model.arg_count>;

/// Every node and every argument can get an observer, which is a node with one argument.
template <const auto& Fused>
using prepared = static_graph<stage::prepared, 2 * Fused.count + Fused.arg_count,
                              Fused.count + 2 * Fused.arg_count>;

template <const auto& Prepared>
using reference = static_graph<stage::reference, Prepared.count + growth_v<Prepared>.converted,
                               Prepared.arg_count + growth_v<Prepared>.converted>;

template <const auto& Prepared>
using lowered = static_graph<
    stage::lowered, Prepared.count + growth_v<Prepared>.converted + growth_v<Prepared>.requantized,
    Prepared.arg_count + growth_v<Prepared>.converted + growth_v<Prepared>.requantized>;

template <const auto& Graph>
inline constexpr static_schedule<most_steps_v<Graph>, Graph.count> schedule_v{
    [](auto& out) { scheduling::schedule_into(Graph, out); }};

/// The same with ops fused into the kernels of layers.
template <const auto& Graph>
inline constexpr static_schedule<most_steps_v<Graph>, Graph.count> layer_fused_schedule_v{
    [](auto& out) { scheduling::schedule_into(Graph, out, scheduling::layers::fused); }};

}  // namespace stages

template <const auto& Model, class Backend>
inline constexpr stages::fused<Model> fused_v{
    [](auto& out) { fuse_into(Model, backend_v<Backend>, fusible_patterns_v<Backend>, {}, out); }};

template <const auto& Model, class Backend, class Mapping, unsupported Policy>
inline constexpr stages::prepared<fused_v<Model, Backend>> prepared_v{[](auto& out) {
  prepare_into(fused_v<Model, Backend>, backend_v<Backend>, patterns_v<Backend>, mapping_v<Mapping>,
               stages::qconfigs_v<fused_v<Model, Backend>, Mapping>.of_node, {.policy = Policy},
               out);
}};

template <const auto& Model, class Backend, class Mapping, unsupported Policy>
inline constexpr stages::reference<prepared_v<Model, Backend, Mapping, Policy>> reference_v{
    [](auto& out) {
      convert_into(prepared_v<Model, Backend, Mapping, Policy>, backend_v<Backend>,
                   mapping_v<Mapping>, {}, out);
    }};

/// From the prepared graph, so that the reference graph need not be a constant.
template <const auto& Model, class Backend, class Mapping, unsupported Policy>
inline constexpr stages::lowered<prepared_v<Model, Backend, Mapping, Policy>> lowered_v{
    [](auto& out) {
      stages::reference<prepared_v<Model, Backend, Mapping, Policy>> reference;
      convert_into(prepared_v<Model, Backend, Mapping, Policy>, backend_v<Backend>,
                   mapping_v<Mapping>, {}, reference);
      lower_into(reference, {}, out);
      if (Policy == unsupported::error) out.problem = missing_kernel(out, backend_v<Backend>);
    }};

/// The first entry of the mapping that has no effect.
template <const auto& Model, class Backend, class Mapping>
inline constexpr diagnostic mapping_names_v = [] {
  if constexpr (names_modules(mapping_v<Mapping>)) {
    return check_mapping_names(Model.view(), fused_v<Model, Backend>.view(), backend_v<Backend>,
                               mapping_v<Mapping>);
  } else {
    return diagnostic{};
  }
}();

/// The float model with the fusions of the backend applied.
template <const auto& Model, class Backend>
inline constexpr auto& fused_schedule_v = stages::schedule_v<fused_v<Model, Backend>>;

template <const auto& Model, class Backend, class Mapping, unsupported Policy>
inline constexpr auto& prepared_schedule_v =
    stages::schedule_v<prepared_v<Model, Backend, Mapping, Policy>>;

template <const auto& Model, class Backend, class Mapping, unsupported Policy>
inline constexpr auto& lowered_schedule_v =
    stages::layer_fused_schedule_v<lowered_v<Model, Backend, Mapping, Policy>>;

/// The first error in a model, a backend, a mapping, or in their combination.
template <const auto& Model, class Backend, class Mapping, unsupported Policy>
struct plan_check {
  static constexpr diagnostic find() {
    if constexpr (Model.problem.any()) {
      return Model.problem;
    } else if constexpr (has_finding<Backend>()) {
      return backend_check<Backend>::found;
    } else if constexpr (mapping_check<Mapping>::bad()) {
      return mapping_check<Mapping>::found;
    } else if constexpr (Policy == unsupported::error &&
                         mapping_names_v<Model, Backend, Mapping>.any()) {
      return mapping_names_v<Model, Backend, Mapping>;
    } else if constexpr (prepared_v<Model, Backend, Mapping, Policy>.problem.any()) {
      return prepared_v<Model, Backend, Mapping, Policy>.problem;
    } else if constexpr (prepared_schedule_v<Model, Backend, Mapping, Policy>.problem.any()) {
      return prepared_schedule_v<Model, Backend, Mapping, Policy>.problem;
    } else if constexpr (lowered_v<Model, Backend, Mapping, Policy>.problem.any()) {
      return lowered_v<Model, Backend, Mapping, Policy>.problem;
    } else {
      return lowered_schedule_v<Model, Backend, Mapping, Policy>.problem;
    }
  }
  static constexpr diagnostic found = find();
  static constexpr bool bad() { return found.any(); }
  static constexpr auto message() { return found.text; }
};

/// The first error in a model, a backend, or in running the model in float.
template <const auto& Model, class Backend>
struct float_check {
  static constexpr diagnostic find() {
    if constexpr (Model.problem.any()) {
      return Model.problem;
    } else if constexpr (has_finding<Backend>()) {
      return backend_check<Backend>::found;
    } else {
      return fused_schedule_v<Model, Backend>.problem;
    }
  }
  static constexpr diagnostic found = find();
  static constexpr bool bad() { return found.any(); }
  static constexpr auto message() { return found.text; }
};

/// A model, a backend and a mapping that fit one another: a compile error otherwise.
template <const auto& Model, class Backend, class Mapping = default_qconfig_mapping<Backend>,
          unsupported Policy = unsupported::error>
struct plan : report<plan_check<Model, Backend, Mapping, Policy>> {
  static constexpr backend_view backend = backend_v<Backend>;
  static constexpr mapping_view mapping = mapping_v<Mapping>;
  static constexpr auto& traced = Model;
  static constexpr auto& prepared = prepared_v<Model, Backend, Mapping, Policy>;
  static constexpr auto& lowered = lowered_v<Model, Backend, Mapping, Policy>;
  static constexpr auto& observed_schedule = prepared_schedule_v<Model, Backend, Mapping, Policy>;
  static constexpr auto& int8_schedule = lowered_schedule_v<Model, Backend, Mapping, Policy>;
};

}  // namespace ctq
