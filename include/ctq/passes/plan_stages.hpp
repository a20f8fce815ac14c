// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <type_traits>

#include "ctq/graph/model.hpp"
#include "ctq/passes/convert.hpp"
#include "ctq/passes/fuse.hpp"
#include "ctq/passes/lower/lower.hpp"
#include "ctq/passes/lower/missing_kernel.hpp"
#include "ctq/passes/mapping_names.hpp"
#include "ctq/passes/plan_options.hpp"
#include "ctq/passes/prepare.hpp"
#include "ctq/passes/schedule/schedule.hpp"

// The results of the passes for a model, a backend and a mapping, one constant per stage:
//
//   Model -> fused_v -> prepared_v -> reference_v -> lowered_v
//
// and the schedule of each stage that runs. Further options are in plan_options.hpp. Each constant
// is a template of short names, computed once, with its own limit of constexpr steps, and can be
// used in static_asserts.

namespace ctq {

namespace stages {

template <int Nodes>
struct entries {
  int of_node[Nodes > 0 ? Nodes : 1]{};
};

template <const auto& Fused, class Mapping, semantics Semantics>
constexpr auto resolve() {
  entries<Fused.count> found;
  resolve_qconfigs(Fused, mapping_v<Mapping>, Semantics, found.of_node);
  return found;
}

/// By node: its entry of the mapping. Regular expressions take many constexpr steps, so this is a
/// separate constant.
template <const auto& Fused, class Mapping, semantics Semantics = semantics{}>
inline constexpr auto qconfigs_v = resolve<Fused, Mapping, Semantics>();

// Upper bounds of what each pass adds. They are close, because unused elements of the constants
// cost memory in the program and compile time: 15 µs for a node, 9 µs for a step with clang 19.

/// Nodes and arguments that are added to those of a prepared graph.
struct growth {
  int converted = 0;    // an observer becomes two nodes
  int requantized = 0;  // an argument that must have the output's qparams
};

template <class Graph>
constexpr growth growth_of(const Graph& prepared, const prepare_options& options) {
  growth more;
  for (int i = 0; i < prepared.count; ++i) {
    const op_id op = prepared.nodes[i].op;
    if (op == q::activation_post_process.id()) {
      ++more.converted;
    } else if (op->kind == op_kind::placeholder
                   ? is_quantized(prepared.nodes[i].dtype)
                   : standalone_of(options, prepared.nodes[i]) != nullptr ||
                         (options.custom.custom_modules.count > 0 &&
                          may_be_in_quantized_tuple(prepared, options, i))) {
      ++more.converted;  // integers become floats
    } else if (lowering::keeps_qparams(op)) {
      more.requantized += prepared.nodes[i].arg_count;
    }
  }
  return more;
}
template <const auto& Prepared, class Options>
inline constexpr growth growth_v = growth_of(Prepared, prepare_options_v<Options, unsupported{}>);

struct schedule_size {
  int steps = 0;
  int inputs = 0;
  int outputs = 0;
};

/// One step per node, a transpose per argument, and a copy per input of a cat, of a recurrent layer
/// and of a function of three tensors; three steps for attention and for a layer that is followed
/// in float; none for observers.
template <class Graph>
constexpr schedule_size size_of_schedule(const Graph& g) {
  int steps = 0;
  int inputs = 0;
  for (int i = 0; i < g.count; ++i) {
    const schedule_as how = g.nodes[i].op->descriptor->schedule.how;
    if (how == schedule_as::observe) continue;
    steps += 1 + g.nodes[i].arg_count;
    if (how == schedule_as::step) continue;
    const bool joins = how == schedule_as::function && g.nodes[i].arg_count > 2;
    if (how == schedule_as::concat || how == schedule_as::recurrent || joins)
      steps += g.nodes[i].arg_count;
    if (how == schedule_as::attention || how == schedule_as::layer) steps += 2;
    if (how == schedule_as::input) ++inputs;
  }
  return {steps, inputs, g.count == 0 ? 0 : g.nodes[g.count - 1].arg_count};
}
template <const auto& Graph>
inline constexpr schedule_size size_v = size_of_schedule(Graph);

template <const auto& Graph>
using schedule =
    static_schedule<size_v<Graph>.steps, Graph.count, size_v<Graph>.inputs, size_v<Graph>.outputs>;

template <const auto& Model>
using fused = static_graph<stage::fused, Model.count, Model.arg_count>;

/// Every node and every argument can get an observer, which is a node with one argument.
template <const auto& Fused>
using prepared = static_graph<stage::prepared, 2 * Fused.count + Fused.arg_count,
                              Fused.count + 2 * Fused.arg_count>;

template <const auto& Prepared, class Options>
using reference =
    static_graph<stage::reference, Prepared.count + growth_v<Prepared, Options>.converted,
                 Prepared.arg_count + growth_v<Prepared, Options>.converted>;

template <const auto& Prepared, class Options>
using lowered = static_graph<stage::lowered,
                             Prepared.count + growth_v<Prepared, Options>.converted +
                                 growth_v<Prepared, Options>.requantized,
                             Prepared.arg_count + growth_v<Prepared, Options>.converted +
                                 growth_v<Prepared, Options>.requantized>;

template <const auto& Graph>
inline constexpr schedule<Graph> schedule_v{
    [](auto& out) { scheduling::schedule_into(Graph, out); }};

/// The same with ops fused into the kernels of layers.
template <const auto& Graph>
inline constexpr schedule<Graph> layer_fused_schedule_v{
    [](auto& out) { scheduling::schedule_into(Graph, out, scheduling::layers::fused); }};

}  // namespace stages

/// The fused graph.
template <const auto& Model, class Backend, class Options = plan_options>
inline constexpr stages::fused<Model> fused_v{[](auto& out) {
  fuse_into(Model, backend_v<Backend>, fusible_patterns_v<Backend, Options::is_qat>,
            {Options::semantics, Options::is_qat}, out);
}};

namespace stages {

template <const auto& Model, class Backend, class Mapping, class Options>
inline constexpr fused<Model> trained_v{[](auto& out) {
  out = fused_v<Model, Backend, Options>;
  swap_qat_modules(
      out.nodes, out.count, backend_v<Backend>, mapping_v<Mapping>,
      qconfigs_v<fused_v<Model, Backend, Options>, Mapping, Options::semantics>.of_node,
      Options::semantics);
}};

/// The fused model; for training with the backend's QAT modules.
template <const auto& Model, class Backend, class Mapping, class Options>
constexpr const auto& before_prepare() {
  if constexpr (Options::is_qat) {
    return trained_v<Model, Backend, Mapping, Options>;
  } else {
    return fused_v<Model, Backend, Options>;
  }
}

}  // namespace stages

/// The prepared graph.
template <const auto& Model, class Backend, class Mapping, unsupported Policy,
          class Options = plan_options>
inline constexpr stages::prepared<fused_v<Model, Backend, Options>> prepared_v{[](auto& out) {
  constexpr auto& fused = stages::before_prepare<Model, Backend, Mapping, Options>();
  constexpr auto& qconfigs =
      stages::qconfigs_v<fused_v<Model, Backend, Options>, Mapping, Options::semantics>.of_node;
  constexpr const prepare_options& options = prepare_options_v<Options, Policy>;
  out.problem = check_before_prepare(fused.view(), mapping_v<Mapping>, qconfigs, options);
  prepare_into(fused, backend_v<Backend>, patterns_v<Backend>, mapping_v<Mapping>, qconfigs,
               options, out);
}};

template <const auto& Model, class Backend, class Mapping, unsupported Policy,
          class Options = plan_options>
inline constexpr stages::reference<prepared_v<Model, Backend, Mapping, Policy, Options>, Options>
    reference_v{[](auto& out) {
      convert_into(prepared_v<Model, Backend, Mapping, Policy, Options>, backend_v<Backend>,
                   mapping_v<Mapping>, convert_options_v<Options, Policy>, out);
    }};

namespace stages {

template <const auto& Prepared>
inline constexpr std::remove_cvref_t<decltype(Prepared)> with_float_inputs_v{[](auto& out) {
  out = Prepared;
  for (int i = 0; i < out.count; ++i)
    if (out.nodes[i].op->kind == op_kind::placeholder) out.nodes[i].dtype = f32;
}};

/// The prepared graph as it is calibrated: in float, also where the inputs of the converted model
/// are quantized.
template <const auto& Prepared, class Options>
constexpr const auto& calibrated() {
  if constexpr (Options::prepare.input_quantized_indexes.empty()) {
    return Prepared;
  } else {
    return with_float_inputs_v<Prepared>;
  }
}

}  // namespace stages

/// The lowered graph. Computed from the prepared graph, so that the reference graph need not be a
/// constant.
template <const auto& Model, class Backend, class Mapping, unsupported Policy,
          class Options = plan_options>
inline constexpr stages::lowered<prepared_v<Model, Backend, Mapping, Policy, Options>, Options>
    lowered_v{[](auto& out) {
      stages::reference<prepared_v<Model, Backend, Mapping, Policy, Options>, Options> reference;
      convert_into(prepared_v<Model, Backend, Mapping, Policy, Options>, backend_v<Backend>,
                   mapping_v<Mapping>, convert_options_v<Options, Policy>, reference);
      lower_into(reference, {.semantics = Options::semantics}, out);
      out.problem = reference.problem;
    }};

/// The first node that the policy wants on integers and for which there is no kernel.
template <const auto& Model, class Backend, class Mapping, unsupported Policy,
          class Options = plan_options>
inline constexpr diagnostic missing_kernel_v =
    Policy == unsupported::error
        ? missing_kernel(lowered_v<Model, Backend, Mapping, Policy, Options>, backend_v<Backend>)
        : diagnostic{};

/// The first entry of the mapping that has no effect.
template <const auto& Model, class Backend, class Mapping, class Options = plan_options>
inline constexpr diagnostic mapping_names_v = [] {
  if constexpr (names_modules(mapping_v<Mapping>)) {
    return check_mapping_names(Model.view(), fused_v<Model, Backend, Options>.view(),
                               backend_v<Backend>, mapping_v<Mapping>);
  } else {
    return diagnostic{};
  }
}();

/// The float model with the fusions of the backend applied.
template <const auto& Model, class Backend>
inline constexpr auto& fused_schedule_v = stages::schedule_v<fused_v<Model, Backend>>;

template <const auto& Model, class Backend, class Mapping, unsupported Policy,
          class Options = plan_options>
inline constexpr auto& prepared_schedule_v = stages::schedule_v<
    stages::calibrated<prepared_v<Model, Backend, Mapping, Policy, Options>, Options>()>;

template <const auto& Model, class Backend, class Mapping, unsupported Policy,
          class Options = plan_options>
inline constexpr auto& lowered_schedule_v =
    stages::layer_fused_schedule_v<lowered_v<Model, Backend, Mapping, Policy, Options>>;

}  // namespace ctq
