// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ctq/passes/convert.hpp"
#include "ctq/passes/fuse.hpp"
#include "ctq/passes/lower/lower.hpp"
#include "ctq/passes/prepare.hpp"

// A model with standalone modules, at run time: prepare and convert process these modules and
// those inside them, each with its own mapping, options and backend.

namespace ctq {

/// A traced graph, and those of the standalone modules in it.
struct traced_model {
  graph_view<stage::traced> graph;
  std::string_view path{};  // of the module in the model around it
  std::vector<traced_model> modules{};
  std::vector<std::string_view> attributes{};  // of the Python object, that the graph does not read
};

/// A model after each pass, and its standalone modules. The traced model, the backend and the
/// mappings must outlive it.
struct nested_model {
  std::string path{};  // of the module in the model around it
  backend_view backend{};
  mapping_view mapping{};
  prepare_options options{};
  dynamic_graph<stage::fused> fused{};
  dynamic_graph<stage::prepared> prepared{};
  dynamic_graph<stage::reference> reference{};
  dynamic_graph<stage::lowered> lowered{};
  std::vector<std::unique_ptr<nested_model>> modules{};
  std::vector<std::string_view> attributes_prepared{};   // names of those that prepare preserves
  std::vector<std::string_view> attributes_converted{};  // and of those that convert preserves
  mapping_entry inherited{};  // the mapping of a module that has none: the qconfig of its node
};

/// The first problem of a pass, of the model or of a module in it.
template <stage Stage>
[[nodiscard]] const diagnostic& problem_of(const nested_model& m,
                                           dynamic_graph<Stage> nested_model::*after) {
  const diagnostic* first = &(m.*after).problem;
  for (const auto& inside : m.modules)
    if (!first->any()) first = &problem_of(*inside, after);
  return *first;
}

namespace standalone_modules {

/// Those of the attributes that are among `wanted`.
[[nodiscard]] inline std::vector<std::string_view> preserved(
    const std::vector<std::string_view>& attributes, const view<std::string_view>& wanted) {
  std::vector<std::string_view> kept;
  for (const std::string_view a : attributes)
    if (std::find(wanted.begin(), wanted.end(), a) != wanted.end()) kept.push_back(a);
  return kept;
}

inline void prepare_into(const traced_model& traced, const backend_view& backend,
                         const mapping_view& mapping, const prepare_options& options,
                         nested_model& out) {
  out.path = traced.path;
  out.backend = backend;
  out.mapping = mapping;
  out.options = options;
  out.attributes_prepared = preserved(traced.attributes, options.custom.preserved_attributes);
  out.fused = fuse(traced.graph, backend, {options.semantics, options.is_qat});
  out.prepared = prepare_graph(out.fused.view(), backend, mapping, options);
  const list<int> qconfigs = resolve_qconfigs(out.fused.view(), mapping, options.semantics);
  for (const traced_model& inside : traced.modules) {
    int i = 0;
    while (i < out.fused.size() && path_of(out.fused.nodes[i]) != inside.path) ++i;
    const standalone_module* const s =
        i < out.fused.size() ? standalone_of(options, out.fused.nodes[i]) : nullptr;
    if (s == nullptr) continue;
    nested_model& m = *out.modules.emplace_back(std::make_unique<nested_model>());
    if (qconfigs[i] >= 0) m.inherited = mapping.entries[qconfigs[i]];
    m.inherited.level = mapping_level::global;
    prepare_options module_options = options;
    module_options.custom = s->custom;
    prepare_into(inside, s->backend != nullptr ? *s->backend : backend,
                 s->mapping != nullptr ? *s->mapping : mapping_view{&m.inherited, 1},
                 module_options, m);
  }
}

}  // namespace standalone_modules

/// Fuses and prepares a model and its standalone modules.
/// Errors  in the result, see problem_of
[[nodiscard]] inline nested_model prepare_model(const traced_model& traced,
                                                const backend_view& backend,
                                                const mapping_view& mapping,
                                                const prepare_options& options = {}) {
  nested_model m;
  standalone_modules::prepare_into(traced, backend, mapping, options, m);
  return m;
}

/// Converts a prepared model and its standalone modules to reference models. The mapping and the
/// custom config of the options concern the model itself: standalone modules are converted as they
/// were prepared, to the reference modules of the model's backend, as in PyTorch. Custom modules in
/// them are quantized only if their own entry names the quantized class.
///   backend  that of convert, which may differ from that of prepare
/// Errors  in m, see problem_of
inline void convert_model(nested_model& m, const backend_view& backend,
                          convert_options options = {}) {
  options.prepared = m.options;
  options.backend = &backend;
  m.reference = convert_graph(m.prepared.view(), m.backend, m.mapping, options);
  m.attributes_converted =
      standalone_modules::preserved(m.attributes_prepared, options.custom.preserved_attributes);
  options.mapping = nullptr;
  options.custom = {};
  for (const auto& inside : m.modules) convert_model(*inside, backend, options);
}

/// Lowers a converted model and its standalone modules.
/// Errors  in m, see problem_of
inline void lower_model(nested_model& m, const lower_options& options = {}) {
  m.lowered = lower(m.reference.view(), options);
  for (const auto& inside : m.modules) lower_model(*inside, options);
}

}  // namespace ctq
