// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/evaluate/nested_model.hpp"
#include "ctq/io/fx_graph.hpp"

// A model from a file with its standalone modules, as prepare_model takes it.

namespace ctq {

/// Views of the graph, which must outlive it. All attributes that the exporter was told to preserve
/// are there.
[[nodiscard]] inline traced_model traced_model_of(const fx_graph& g, std::string_view path = {}) {
  traced_model m{.graph = g.view(), .path = path};
  for (const std::string_view attribute : g.custom().preserved_attributes)
    m.attributes.push_back(attribute);
  for (const fx_module& inside : g.modules())
    m.modules.push_back(traced_model_of(inside.graph, inside.path));
  return m;
}
traced_model traced_model_of(const fx_graph&&, std::string_view = {}) = delete;

}  // namespace ctq
