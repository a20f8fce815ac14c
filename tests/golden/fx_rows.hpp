// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <string>

#include "ctq/graph/graph.hpp"
#include "ctq/spec/qconfig_mapping.hpp"
#include "tensors.hpp"

// Graphs of ctq as rows of torch.fx, so that they can be compared with PyTorch's. A quantize is one
// node in ctq and three in PyTorch: it reads its scale and its zero point from attributes of the
// model, whose names tell the module around them.

namespace golden {

/// What rows show of numbers. Each gives an object or a list of numbers.
struct row_values {
  std::function<json(const std::string& path)> tensor;     // what a get_attr reads
  std::function<json(int observer)> qparams;               // {"scale": …, "zero_point": …}
  std::function<json(const ctq::node&)> reference_weight;  // {"weight_scale": …, …}
  std::function<json(const ctq::node&)> packed_weight;     // {"q_weight": …, …}
  std::function<bool(const ctq::node&)> left_in_float{};   // by convert's mapping
  bool reduce_range = false;  // what the engine makes of dynamic ranges
};

[[nodiscard]] json rows_of(ctq::graph_view<ctq::stage::traced> g, const row_values& values);
[[nodiscard]] json rows_of(ctq::graph_view<ctq::stage::fused> g, const row_values& values);
[[nodiscard]] json rows_of(ctq::graph_view<ctq::stage::prepared> g, const row_values& values);

/// g        with the nodes that convert removes, since they have used up names: the rows are without
/// mapping  that of prepare: attributes are named after it
[[nodiscard]] json rows_of(ctq::graph_view<ctq::stage::reference> g,
                           const ctq::mapping_view& mapping, const row_values& values);

/// reference  that was lowered, with the nodes that convert removes: integer ops take over the names
///            of its attributes
[[nodiscard]] json rows_of(ctq::graph_view<ctq::stage::lowered> g,
                           ctq::graph_view<ctq::stage::reference> reference,
                           const ctq::mapping_view& mapping, const row_values& values);

/// PyTorch's abbreviation: "nn.Conv2d", "F.relu", "operator.add".
[[nodiscard]] std::string short_name(const std::string& qualified);

/// An observer or a fake quantize, as rows describe the module of an activation_post_process.
[[nodiscard]] json description_of(const ctq::observer_record& r);

/// Empty, or the first difference between PyTorch's rows and ctq's.
///   ordered  whether their order counts; it does not where any order will do that can be computed
[[nodiscard]] std::string difference_of_rows(const suite_file& file, const json& wanted,
                                             const json& got, bool ordered = true);

}  // namespace golden
