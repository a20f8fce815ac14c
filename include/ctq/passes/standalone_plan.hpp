// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string_view>
#include <type_traits>

#include "ctq/core/fixed_string.hpp"
#include "ctq/passes/join_module.hpp"
#include "ctq/passes/plan.hpp"
#include "ctq/spec/validate_mapping.hpp"

// The plan of a standalone module of a constant model, as prepare_model makes it at run time; and
// the code of models with such modules, which runs all graphs as one.
//
//   inline constexpr ctq::module_of<"my.Block", inside> block{};
//   inline constexpr auto net = ctq::model("x"_n = nn::placeholder({1, 8}),
//                                          "first"_n = block("x"_n), …);
//   struct my_options : ctq::plan_options {
//     static constexpr ctq::standalone_module modules[] = {{.name = "first", …}};
//     static constexpr ctq::prepare_custom_config prepare{.standalone = {modules, 1}};
//     using standalone_models = ctq::standalone_models<ctq::standalone_model<"first", inside>>;
//   };

namespace ctq {

/// What a standalone module computes.
///   Path    of the module in the model around it
///   Model   a constant
///   Inside  standalone_models of the modules in it, or void
template <fixed_string Path, const auto& Model, class Inside = void>
struct standalone_model {
  static constexpr auto text = Path;
  static constexpr std::string_view path = text.view();
  static constexpr auto& model = Model;
  using inside = Inside;
};
template <class... Module>
struct standalone_models {};

namespace stages {

/// The entry of a standalone module, as the types that a plan takes.
///   Around  the graph_plan of the model around it
///   Path    of the module
///   Models  standalone_models of the modules in it, or void
template <class Around, fixed_string Path, class Models>
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

  /// The mapping of a module that has none: the qconfig of its node.
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
    /// That of the outermost model, also for modules in modules.
    static constexpr const backend_view* convert_backend =
        Around::options_of_convert.backend != nullptr ? Around::options_of_convert.backend
                                                      : &Around::backend;
    using standalone_models = Models;
  };
};

/// "block.fc": the names of the nodes of a module in the graph around it.
template <fixed_string Path, const auto& Graph>
struct names_around {
  static constexpr std::size_t most = [] {
    std::size_t all = 1;
    for (int k = 0; k < Graph.count; ++k)
      all += 2 * (Path.view().size() + 1) + Graph.nodes[k].name.size() +
             Graph.nodes[k].batch_norm.size();
    return all;
  }();
  struct table {
    char text[most]{};
    std::size_t end[2 * Graph.count + 1]{};  // of each name, then of its batch norm
  };
  static constexpr table all = [] {
    table t;
    std::size_t at = 0;
    const auto join = [&](std::string_view name) {
      if (name.empty()) return;
      for (const char c : Path.view()) t.text[at++] = c;
      t.text[at++] = '.';
      for (const char c : name) t.text[at++] = c;
    };
    for (int k = 0; k < Graph.count; ++k) {
      join(Graph.nodes[k].name);
      t.end[2 * k] = at;
      join(Graph.nodes[k].batch_norm);
      t.end[2 * k + 1] = at;
    }
    return t;
  }();
  static constexpr std::string_view at(int i) {
    const std::size_t begin = i == 0 ? 0 : all.end[i - 1];
    return {all.text + begin, all.end[i] - begin};
  }
  [[nodiscard]] constexpr std::string_view name(int k) const { return at(2 * k); }
  [[nodiscard]] constexpr std::string_view batch_norm(int k) const { return at(2 * k + 1); }
};

/// Two lists, concatenated.
template <class T, const view<T>& First, const view<T>& Second>
struct joined_list {
  static constexpr auto items = [] {
    struct {
      T item[First.count + Second.count + 1]{};
    } all;
    for (int i = 0; i < First.count; ++i) all.item[i] = First[i];
    for (int i = 0; i < Second.count; ++i) all.item[First.count + i] = Second[i];
    return all;
  }();
  static constexpr view<T> value{items.item, First.count + Second.count};
};

/// The parts of Around, with the graphs of one module in them.
///   Around, Inside  have backend, mapping, prepared, lowered
template <class Around, fixed_string Path, class Inside>
struct joined_parts {
  static constexpr view<backend_pattern_config_record> configs_around = Around::backend.configs;
  static constexpr view<backend_pattern_config_record> configs_inside = Inside::backend.configs;
  static constexpr view<mapping_entry> entries_around{Around::mapping.entries,
                                                      Around::mapping.count};
  static constexpr view<mapping_entry> entries_inside{Inside::mapping.entries,
                                                      Inside::mapping.count};
  using entries = joined_list<mapping_entry, entries_around, entries_inside>;

  static constexpr backend_view backend{
      Around::backend.name,
      joined_list<backend_pattern_config_record, configs_around, configs_inside>::value};
  static constexpr mapping_view mapping{entries::value.items, entries::value.count};

  static constexpr join_offsets by{Around::prepared.observers, Inside::prepared.observers,
                                   entries_around.count, configs_around.count};
  template <const auto& A, const auto& B>
  using graph = static_graph<std::remove_cvref_t<decltype(A)>::at, A.count + B.count,
                             A.arg_count + B.arg_count>;
  static constexpr graph<Around::prepared, Inside::prepared> prepared{[](auto& out) {
    out.problem = Around::prepared.problem;
    join_into(Around::prepared, Path.view(), Inside::prepared,
              names_around<Path, Inside::prepared>{}, by, out);
  }};
  static constexpr graph<Around::lowered, Inside::lowered> lowered{[](auto& out) {
    out.problem = Around::lowered.problem;
    join_into(Around::lowered, Path.view(), Inside::lowered, names_around<Path, Inside::lowered>{},
              by, out);
  }};
};

}  // namespace stages

/// The graphs of a standalone module, with the mapping, backend and custom config of its entry.
///   Around  the graph_plan of the model around it
///   Path    of the module in that model
///   Model   the module itself
///   Models  standalone_models of the modules in it, or void
template <class Around, fixed_string Path, const auto& Model, class Models = void>
using standalone_plan =
    graph_plan<Model, typename stages::standalone_parts<Around, Path, Models>::backend,
               typename stages::standalone_parts<Around, Path, Models>::mapping,
               Around::options.policy,
               typename stages::standalone_parts<Around, Path, Models>::options>;

namespace stages {

/// The parts of Around, with the graphs of all modules in them.
///   found  the first problem of a module
template <class Plan, class Around, class... Modules>
struct modules_joined {
  using parts = Around;
  static constexpr diagnostic found{};
};
template <class Plan, class Around, class First, class... More>
struct modules_joined<Plan, Around, First, More...> {
  using its = standalone_parts<Plan, First::text, typename First::inside>;
  template <template <const auto&, class, class, unsupported, class> class Of>
  using planned = Of<First::model, typename its::backend, typename its::mapping,
                     Plan::options.policy, typename its::options>;
  using inside = plan_parts<First::model, typename its::backend, typename its::mapping,
                            Plan::options.policy, typename its::options>;
  using next = modules_joined<Plan, joined_parts<Around, First::text, inside>, More...>;
  using parts = typename next::parts;

  static constexpr diagnostic find() {
    if constexpr (planned<plan_check>::bad()) {
      diagnostic d = planned<plan_check>::found;
      return d.line("in the standalone module ", First::path);
    } else {
      return next::found;
    }
  }
  static constexpr diagnostic found = find();
};

}  // namespace stages

template <const auto& Model, class Backend, class Mapping, unsupported Policy, class Options,
          class... Module>
struct plan_parts<Model, Backend, Mapping, Policy, Options, standalone_models<Module...>> {
  using joined =
      stages::modules_joined<graph_plan<Model, Backend, Mapping, Policy, Options>,
                             plan_parts<Model, Backend, Mapping, Policy, Options, void>, Module...>;
  using parts = typename joined::parts;

  static constexpr std::string_view paths[] = {Module::path..., {}};
  static constexpr view<std::string_view> listed{paths, sizeof...(Module)};
  static constexpr diagnostic problem_of_parts() {
    if constexpr (joined::found.any()) {
      return joined::found;
    } else {
      return parts::prepared.problem.any() ? parts::prepared.problem : parts::lowered.problem;
    }
  }
  static constexpr diagnostic problem_inside = problem_of_parts();

  static constexpr backend_view backend = parts::backend;
  static constexpr mapping_view mapping = parts::mapping;
  static constexpr auto& prepared = parts::prepared;
  static constexpr auto& lowered = parts::lowered;
  static constexpr diagnostic missing_kernel =
      Policy == unsupported::error ? ctq::missing_kernel(lowered, backend) : diagnostic{};
  static constexpr auto& observed_schedule =
      stages::schedule_v<stages::calibrated<parts::prepared, Options>()>;
  static constexpr auto& int8_schedule = stages::layer_fused_schedule_v<parts::lowered>;
};

}  // namespace ctq
