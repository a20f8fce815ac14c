// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "ctq/core/fixed_string.hpp"
#include "ctq/passes/plan.hpp"
#include "ctq/spec/validate_mapping.hpp"

// The plan of a standalone module of a constant model, as prepare_model makes it at run time.

namespace ctq {

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
