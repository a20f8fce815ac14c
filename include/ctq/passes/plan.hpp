// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>

#include "ctq/core/report.hpp"
#include "ctq/graph/model.hpp"
#include "ctq/passes/convert.hpp"
#include "ctq/passes/fuse.hpp"
#include "ctq/passes/lower.hpp"
#include "ctq/passes/mapping_names.hpp"
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

// Each pass, and how much it can add. The constants are not much larger than what they hold: room
// has to be paid for, by the compiler and, where it is used at run time, in the program.
namespace stages {

template <const auto& Model, class Backend>
consteval auto fuse() {
  return freeze<Model.count, Model.arg_count>(ctq::fuse(Model.view(), backend_v<Backend>));
}

template <const auto& Fused, class Mapping>
consteval auto resolve() {
  const list<int> found = resolve_qconfigs(Fused.view(), mapping_v<Mapping>);
  std::array<int, Fused.count> entries{};
  for (std::size_t i = 0; i < entries.size(); ++i) entries[i] = found[i];
  return entries;
}

/// By node: its entry of the mapping. Regular expressions take many steps, so these have a budget
/// of their own.
template <const auto& Fused, class Mapping>
inline constexpr auto qconfigs_v = resolve<Fused, Mapping>();

/// Every node and every argument can get an observer, which is a node with an argument.
template <const auto& Fused, class Backend, class Mapping, unsupported Policy>
consteval auto prepare() {
  constexpr int observers = Fused.count + Fused.arg_count;
  constexpr auto& qconfigs = qconfigs_v<Fused, Mapping>;
  return freeze<Fused.count + observers, Fused.arg_count + observers>(
      prepare_graph(Fused.view(), backend_v<Backend>, mapping_v<Mapping>,
                    list<int>(qconfigs.data(), qconfigs.size()), {.policy = Policy}));
}

/// Each observer becomes two nodes.
template <const auto& Prepared, class Backend, class Mapping>
consteval auto convert() {
  return freeze<2 * Prepared.count, 2 * Prepared.arg_count>(
      convert_graph(Prepared.view(), backend_v<Backend>, mapping_v<Mapping>));
}

/// From the prepared graph, so that the reference graph between need not be kept. An observer can
/// become a quantize and a dequantize, an argument can be requantized.
template <const auto& Prepared, class Backend, class Mapping, unsupported Policy>
consteval auto lower() {
  const dynamic_graph<stage::reference> reference =
      convert_graph(Prepared.view(), backend_v<Backend>, mapping_v<Mapping>);
  dynamic_graph<stage::lowered> g = ctq::lower(reference.view());
  if (Policy == unsupported::error) g.problem = missing_kernel(g.view(), backend_v<Backend>);
  return freeze<Prepared.count + 2 * Prepared.arg_count, 2 * Prepared.arg_count>(g);
}

/// A step a node, a transpose and a copy an argument.
template <const auto& Graph>
consteval auto schedule() {
  return freeze<Graph.count + 2 * Graph.arg_count, Graph.count>(ctq::schedule(Graph.view()));
}

}  // namespace stages

template <const auto& Model, class Backend>
inline constexpr auto fused_v = stages::fuse<Model, Backend>();

template <const auto& Model, class Backend, class Mapping, unsupported Policy>
inline constexpr auto prepared_v =
    stages::prepare<fused_v<Model, Backend>, Backend, Mapping, Policy>();

template <const auto& Model, class Backend, class Mapping, unsupported Policy>
inline constexpr auto reference_v =
    stages::convert<prepared_v<Model, Backend, Mapping, Policy>, Backend, Mapping>();

template <const auto& Model, class Backend, class Mapping, unsupported Policy>
inline constexpr auto lowered_v =
    stages::lower<prepared_v<Model, Backend, Mapping, Policy>, Backend, Mapping, Policy>();

/// The first entry of the mapping that names nothing.
template <const auto& Model, class Backend, class Mapping>
inline constexpr diagnostic mapping_names_v = check_mapping_names(Model.view(),
                                                                  fused_v<Model, Backend>.view(),
                                                                  backend_v<Backend>,
                                                                  mapping_v<Mapping>);

/// The float model with the fusions of the backend applied.
template <const auto& Model, class Backend>
inline constexpr auto fused_schedule_v = stages::schedule<fused_v<Model, Backend>>();

template <const auto& Model, class Backend, class Mapping, unsupported Policy>
inline constexpr auto prepared_schedule_v =
    stages::schedule<prepared_v<Model, Backend, Mapping, Policy>>();

template <const auto& Model, class Backend, class Mapping, unsupported Policy>
inline constexpr auto lowered_schedule_v =
    stages::schedule<lowered_v<Model, Backend, Mapping, Policy>>();

/// The first mistake in a model, a backend, a mapping, or in what they ask of one another.
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

/// The first mistake in a model, a backend, or in what is needed to run the one in float.
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
