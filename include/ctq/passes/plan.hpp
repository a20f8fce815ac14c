// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>
#include <type_traits>

#include "ctq/core/report.hpp"
#include "ctq/graph/model.hpp"
#include "ctq/passes/convert.hpp"
#include "ctq/passes/fuse.hpp"
#include "ctq/passes/lower/lower.hpp"
#include "ctq/passes/lower/missing_kernel.hpp"
#include "ctq/passes/mapping_names.hpp"
#include "ctq/passes/plan_options.hpp"
#include "ctq/passes/prepare.hpp"
#include "ctq/passes/schedule/schedule.hpp"
#include "ctq/spec/validate.hpp"

// The results of the passes for a model, a backend and a mapping, one constant per stage:
//
//   Model -> fused_v -> prepared_v -> reference_v -> lowered_v
//
// and the schedule of each stage that runs. plan_options.hpp says what the passes take besides.
// Each constant is keyed by short names, computed once, with its own limit of constexpr steps, and
// can be used in static_asserts.

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
                   : standalone_of(options, prepared.nodes[i]) != nullptr) {
      ++more.converted;  // integers become floats
    } else if (lowering::keeps_qparams(op)) {
      more.requantized += prepared.nodes[i].arg_count;
    }
  }
  return more;
}
template <const auto& Prepared, class Options>
inline constexpr growth growth_v = growth_of(Prepared, prepare_options_v<Options, unsupported{}>);

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
inline constexpr static_schedule<most_steps_v<Graph>, Graph.count> schedule_v{
    [](auto& out) { scheduling::schedule_into(Graph, out); }};

/// The same with ops fused into the kernels of layers.
template <const auto& Graph>
inline constexpr static_schedule<most_steps_v<Graph>, Graph.count> layer_fused_schedule_v{
    [](auto& out) { scheduling::schedule_into(Graph, out, scheduling::layers::fused); }};

}  // namespace stages

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
      qconfigs_v<fused_v<Model, Backend, Options>, Mapping, Options::semantics>.of_node);
}};

/// The fused model, in training with the backend's QAT modules.
template <const auto& Model, class Backend, class Mapping, class Options>
constexpr const auto& before_prepare() {
  if constexpr (Options::is_qat) {
    return trained_v<Model, Backend, Mapping, Options>;
  } else {
    return fused_v<Model, Backend, Options>;
  }
}

}  // namespace stages

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

/// From the prepared graph, so that the reference graph need not be a constant.
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
inline constexpr auto& prepared_schedule_v =
    stages::schedule_v<prepared_v<Model, Backend, Mapping, Policy, Options>>;

template <const auto& Model, class Backend, class Mapping, unsupported Policy,
          class Options = plan_options>
inline constexpr auto& lowered_schedule_v =
    stages::layer_fused_schedule_v<lowered_v<Model, Backend, Mapping, Policy, Options>>;

/// The first error in a model, a backend, a mapping, in their combination, or of a pass.
template <const auto& Model, class Backend, class Mapping, unsupported Policy,
          class Options = plan_options>
struct graph_plan_check {
  static constexpr bool has_bad_convert_mapping() {
    if constexpr (std::is_void_v<typename Options::convert_mapping>) {
      return false;
    } else {
      return mapping_check<typename Options::convert_mapping>::bad();
    }
  }
  static constexpr diagnostic find() {
    if constexpr (Model.problem.any()) {
      return Model.problem;
    } else if constexpr (has_finding<Backend>()) {
      return backend_check<Backend>::found;
    } else if constexpr (mapping_check<Mapping>::bad()) {
      return mapping_check<Mapping>::found;
    } else if constexpr (has_bad_convert_mapping()) {
      return mapping_check<typename Options::convert_mapping>::found;
    } else if constexpr (Policy == unsupported::error &&
                         mapping_names_v<Model, Backend, Mapping, Options>.any()) {
      return mapping_names_v<Model, Backend, Mapping, Options>;
    } else if constexpr (prepared_v<Model, Backend, Mapping, Policy, Options>.problem.any()) {
      return prepared_v<Model, Backend, Mapping, Policy, Options>.problem;
    } else {
      return lowered_v<Model, Backend, Mapping, Policy, Options>.problem;
    }
  }
  static constexpr diagnostic found = find();
  static constexpr bool bad() { return found.any(); }
  static constexpr auto message() { return found.text; }
};

/// The same, or why compiled code cannot run it.
template <const auto& Model, class Backend, class Mapping, unsupported Policy,
          class Options = plan_options>
struct plan_check {
  static constexpr diagnostic find() {
    using graphs = graph_plan_check<Model, Backend, Mapping, Policy, Options>;
    if constexpr (Model.problem.any() || has_finding<Backend>() || mapping_check<Mapping>::bad()) {
      return graphs::found;
    } else if constexpr (check_compiled_code(prepare_options_v<Options, Policy>).any()) {
      return check_compiled_code(prepare_options_v<Options, Policy>);
    } else if constexpr (graphs::has_bad_convert_mapping() ||
                         (Policy == unsupported::error &&
                          mapping_names_v<Model, Backend, Mapping, Options>.any()) ||
                         prepared_v<Model, Backend, Mapping, Policy, Options>.problem.any()) {
      return graphs::found;
    } else if constexpr (
        prepared_schedule_v<Model, Backend, Mapping, Policy, Options>.problem.any()) {
      return prepared_schedule_v<Model, Backend, Mapping, Policy, Options>.problem;
    } else if constexpr (graphs::bad()) {
      return graphs::found;
    } else if constexpr (missing_kernel_v<Model, Backend, Mapping, Policy, Options>.any()) {
      return missing_kernel_v<Model, Backend, Mapping, Policy, Options>;
    } else {
      return lowered_schedule_v<Model, Backend, Mapping, Policy, Options>.problem;
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

/// The graphs of a model, a backend and a mapping that fit one another: a compile error otherwise.
/// The passes take all options that they take for graphs at run time, and give the same graphs.
template <const auto& Model, class Backend, class Mapping = default_qconfig_mapping<Backend>,
          unsupported Policy = unsupported::error, class Options = plan_options>
struct graph_plan : report<graph_plan_check<Model, Backend, Mapping, Policy, Options>> {
  static constexpr backend_view backend = backend_v<Backend>;
  static constexpr mapping_view mapping = mapping_v<Mapping>;
  static constexpr const prepare_options& options = prepare_options_v<Options, Policy>;
  static constexpr auto& traced = Model;
  static constexpr auto& fused = fused_v<Model, Backend, Options>;
  static constexpr auto& prepared = prepared_v<Model, Backend, Mapping, Policy, Options>;
  static constexpr auto& reference = reference_v<Model, Backend, Mapping, Policy, Options>;
  static constexpr auto& lowered = lowered_v<Model, Backend, Mapping, Policy, Options>;
};

/// The same with what compiled code runs. It takes a policy, semantics and a mapping for convert;
/// options that make only graphs, see check_compiled_code, are a compile error.
template <const auto& Model, class Backend, class Mapping = default_qconfig_mapping<Backend>,
          unsupported Policy = unsupported::error, class Options = plan_options>
struct plan : report<plan_check<Model, Backend, Mapping, Policy, Options>> {
  static constexpr backend_view backend = backend_v<Backend>;
  static constexpr mapping_view mapping = mapping_v<Mapping>;
  static constexpr const prepare_options& options = prepare_options_v<Options, Policy>;
  static constexpr auto& traced = Model;
  static constexpr auto& prepared = prepared_v<Model, Backend, Mapping, Policy, Options>;
  static constexpr auto& lowered = lowered_v<Model, Backend, Mapping, Policy, Options>;
  static constexpr auto& observed_schedule =
      prepared_schedule_v<Model, Backend, Mapping, Policy, Options>;
  static constexpr auto& int8_schedule =
      lowered_schedule_v<Model, Backend, Mapping, Policy, Options>;
};

// --- Standalone modules
// ---------------------------------------------------------------------------

namespace stages {

/// What the entry of a standalone module says, as the types that a plan takes.
///   Around  the graph_plan of the model around it
///   Path    of the module
template <class Around, fixed_string Path>
struct standalone_parts {
  static constexpr int node_at = [] {
    const auto& g = Around::fused;
    int i = 0;
    while (i < g.count && path_of(g.nodes[i]) != Path.view()) ++i;
    return i < g.count && standalone_of(Around::options, g.nodes[i]) != nullptr ? i : -1;
  }();
  static_assert(node_at >= 0, "ctq: the model around has no standalone module of this path");
  static constexpr const standalone_module& entry =
      *standalone_of(Around::options, Around::fused.nodes[node_at]);

  /// Without a mapping of its own, the qconfig of its node.
  static constexpr mapping_entry inherited = [] {
    int qconfigs[Around::fused.max_nodes]{};
    resolve_qconfigs(Around::fused, Around::mapping, Around::options.semantics, qconfigs);
    mapping_entry e;
    if (qconfigs[node_at] >= 0) e = Around::mapping.entries[qconfigs[node_at]];
    e.level = mapping_level::global;
    return e;
  }();

  struct backend {
    static constexpr backend_view value =
        entry.backend != nullptr ? *entry.backend : Around::backend;
    static constexpr std::string_view name = value.name;
    static constexpr view<backend_pattern_config_record> records = value.configs;
  };
  struct mapping {
    static constexpr mapping_view records =
        entry.mapping != nullptr ? *entry.mapping : mapping_view{&inherited, 1};
    static constexpr diagnostic problem = rules::describe(records);
  };
  struct options : plan_options {
    static constexpr ctq::semantics semantics = Around::options.semantics;
    static constexpr bool is_qat = Around::options.is_qat;
    static constexpr dtype quantized_dtype = Around::options.quantized_dtype;
    static constexpr prepare_custom_config prepare = entry.custom;
  };
};

}  // namespace stages

/// The graphs of a standalone module, with the mapping, backend and custom config of its entry.
///   Around  the graph_plan of the model around it
///   Path    of the module in that model
///   Model   the module itself
template <class Around, fixed_string Path, const auto& Model>
using standalone_plan =
    graph_plan<Model, typename stages::standalone_parts<Around, Path>::backend,
               typename stages::standalone_parts<Around, Path>::mapping, Around::options.policy,
               typename stages::standalone_parts<Around, Path>::options>;

}  // namespace ctq
