// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/graph/graph.hpp"
#include "ctq/spec/backend_config.hpp"
#include "tensors.hpp"

// Graphs in the short form that the cases of qconfig_match have.

namespace golden {

/// [name, target or class, arguments as Python prints them] for each node.
[[nodiscard]] json shown_nodes(ctq::graph_view<ctq::stage::prepared> g);

/// The same with tuples as lists: rows of torch.fx do not tell them apart.
[[nodiscard]] json without_tuples(json nodes);

/// The nodes whose pattern prepare accepted, by name and in that order.
[[nodiscard]] json observed_names(ctq::graph_view<ctq::stage::prepared> g);

/// What a reference model calls, in order.
[[nodiscard]] json shown_calls(ctq::graph_view<ctq::stage::reference> g,
                               const ctq::backend_view& backend);

}  // namespace golden
