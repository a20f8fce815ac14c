// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/core/report.hpp"
#include "ctq/graph/model.hpp"
#include "ctq/passes/convert.hpp"
#include "ctq/passes/fuse.hpp"
#include "ctq/passes/lower.hpp"
#include "ctq/passes/prepare.hpp"
#include "ctq/passes/schedule.hpp"
#include "ctq/spec/validate.hpp"

// What the compiler works out for a model, a backend and a mapping, one constant a stage:
//
//   Model -> fused_v -> prepared_v -> reference_v -> lowered_v
//
// and for each stage that runs, its schedule. Each constant is keyed by short names, computed
// once, with a step budget of its own, and can be asserted on.

namespace ctq {

template <const auto& Model, class Backend>
inline constexpr auto fused_v =
    freeze<Model.max_nodes, Model.max_args>(fuse(Model.view(), backend_v<Backend>));

namespace bounds {

// Every node and every argument can get an observer, which adds a node and an argument.
template <const auto& Model>
inline constexpr std::size_t prepared_nodes = 2 * Model.max_nodes + Model.max_args;
template <const auto& Model>
inline constexpr std::size_t prepared_args = Model.max_nodes + 2 * Model.max_args;

// Each observer becomes two nodes.
template <const auto& Model>
inline constexpr std::size_t reference_nodes = 2 * prepared_nodes<Model>;
template <const auto& Model>
inline constexpr std::size_t reference_args = 2 * prepared_args<Model>;

/// A step a node, a copy and a transpose an argument.
constexpr std::size_t steps(std::size_t nodes, std::size_t args) { return nodes + 2 * args + 1; }

}  // namespace bounds

template <const auto& Model, class Backend, class Mapping, unsupported Policy>
inline constexpr auto prepared_v =
    freeze<bounds::prepared_nodes<Model>, bounds::prepared_args<Model>>(
        prepare_graph(fused_v<Model, Backend>.view(), backend_v<Backend>, mapping_v<Mapping>,
                      Policy));

template <const auto& Model, class Backend, class Mapping, unsupported Policy>
inline constexpr auto reference_v =
    freeze<bounds::reference_nodes<Model>, bounds::reference_args<Model>>(convert_graph(
        prepared_v<Model, Backend, Mapping, Policy>.view(), mapping_v<Mapping>));

template <const auto& Model, class Backend, class Mapping, unsupported Policy>
inline constexpr auto lowered_v =
    freeze<bounds::reference_nodes<Model>, bounds::reference_args<Model>>(
        lower(reference_v<Model, Backend, Mapping, Policy>.view()));

namespace bounds {

template <const auto& Graph>
inline constexpr auto schedule_of = freeze<steps(Graph.max_nodes, Graph.max_args), Graph.max_nodes>(
    schedule(Graph.view()));

}  // namespace bounds

/// The float model as it is written, and as it is once the backend's fusions are applied.
template <const auto& Model>
inline constexpr auto traced_schedule_v = bounds::schedule_of<Model>;
template <const auto& Model, class Backend>
inline constexpr auto fused_schedule_v = bounds::schedule_of<fused_v<Model, Backend>>;

template <const auto& Model, class Backend, class Mapping, unsupported Policy>
inline constexpr auto prepared_schedule_v =
    bounds::schedule_of<prepared_v<Model, Backend, Mapping, Policy>>;

template <const auto& Model, class Backend, class Mapping, unsupported Policy>
inline constexpr auto lowered_schedule_v =
    bounds::schedule_of<lowered_v<Model, Backend, Mapping, Policy>>;

/// The first mistake in a model, a backend, a mapping, or in what they ask of one another.
template <const auto& Model, class Backend, class Mapping, unsupported Policy>
struct plan_check {
  static constexpr diagnostic find() {
    if constexpr (Model.problem.any()) {
      return Model.problem;
    } else if constexpr (backend_check<Backend>::bad()) {
      return backend_check<Backend>::found;
    } else if constexpr (mapping_check<Mapping>::bad()) {
      return mapping_check<Mapping>::found;
    } else if constexpr (prepared_v<Model, Backend, Mapping, Policy>.problem.any()) {
      return prepared_v<Model, Backend, Mapping, Policy>.problem;
    } else if constexpr (prepared_schedule_v<Model, Backend, Mapping, Policy>.problem.any()) {
      return prepared_schedule_v<Model, Backend, Mapping, Policy>.problem;
    } else {
      return lowered_schedule_v<Model, Backend, Mapping, Policy>.problem;
    }
  }
  static constexpr diagnostic found = find();
  static constexpr bool bad() { return found.any(); }
  static constexpr auto message() { return found.text; }
};

/// A model, a backend and a mapping that fit one another. Using it is the check.
template <const auto& Model, class Backend, class Mapping, unsupported Policy = unsupported::error>
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
