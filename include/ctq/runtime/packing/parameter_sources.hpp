// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>
#include <vector>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/result.hpp"
#include "ctq/core/semantics.hpp"
#include "ctq/observers/float16.hpp"
#include "ctq/runtime/packing/graph_nodes.hpp"
#include "ctq/runtime/quantize_weights.hpp"
#include "ctq/runtime/weights.hpp"
#include "ctq/spec/backend_config.hpp"
#include "ctq/spec/qconfig_mapping.hpp"

// What the parameters of a schedule are made from, and the weight of one of its nodes.

namespace ctq {

/// The qparams of a node's weight in a model that was trained with fake quantizes.
struct trained_qparams {
  std::string_view node;
  weight_qparams weight;
};

/// What a state_dict is made from.
struct parameter_sources {
  graph_nodes graph;  // the one that the schedule was made for
  const ctq::weights* weights{};
  backend_view backend;
  mapping_view mapping;
  ctq::semantics semantics{};
  span<const trained_qparams> trained{};  // other weights are observed by a new observer

  /// A parameter of a node: of a module the tensor with this name, of a function the argument.
  ///   which  0: the weight, 1: the bias, …
  [[nodiscard]] const weight_tensor* find(const node& n, std::string_view name, int which) const& {
    if (n.op->descriptor->weight_position == 0) return weights->find(n.name, name);
    const node* const given = graph.parameter_of(n, 1 + which);
    return given == nullptr ? nullptr : weights->find(path_of(*given));
  }
};

/// The dtype config that was chosen for a quantized node.
template <int = 0>
[[nodiscard]] const dtype_config_record& config_of(const backend_view& backend, const choice& c) {
  return backend.configs[c.pattern].dtype_configs[c.dtype_config];
}

namespace quantizing {

/// The weight of a node as its qconfig and its dtype config say.
/// Errors  as quantize_weights
template <int = 0>
[[nodiscard, gnu::cold]] result<quantized_weights> quantized_weight(const node& n,
                                                                    const folded_weights& f,
                                                                    const parameter_sources& from) {
  const weight_qparams* trained = nullptr;
  for (const trained_qparams& t : from.trained)
    if (t.node == n.name) trained = &t.weight;
  return quantize_weights(f, from.mapping.entries[n.choice.qconfig].qconfig.weight,
                          config_of(from.backend, n.choice).weight_dtype, from.semantics, trained);
}

/// Whether the weight of a node is float16: kernels then compute with the floats that it
/// represents.
template <int = 0>
[[nodiscard]] bool is_in_half(const node& n) {
  return n.weight != nullptr && n.weight->args.dtype == f16;
}
template <int = 0>
[[gnu::cold]] void round_to_half(std::vector<float>& weight) {
  for (float& x : weight) x = weight_in_float16(x);
}

}  // namespace quantizing

}  // namespace ctq
