// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "ctq/core/result.hpp"
#include "ctq/graph/node.hpp"
#include "ctq/passes/schedule/step.hpp"
#include "ctq/runtime/fold_batch_norm.hpp"
#include "ctq/runtime/packing/parameter_sources.hpp"
#include "ctq/runtime/quantize_weights.hpp"
#include "ctq/runtime/recurrent/recurrent_parameters.hpp"
#include "ctq/runtime/state_dict.hpp"
#include "ctq/runtime/weights.hpp"

// From the float tensors of a recurrent layer to those of a state_dict.

namespace ctq {

namespace quantizing {

/// The weights of a recurrent layer, each with an observer of its own, and its biases.
template <int = 0>
[[nodiscard, gnu::cold]] status add_recurrent(const step& s, const node& n,
                                              const parameter_sources& from, state_dict& to) {
  for (const recurrent_weight& w : recurrent_weights(s.signature.as<recurrent_shape>(), n)) {
    // A module that is called again has the weights of its first call.
    const auto given = [&](const std::string& name) {
      return name.empty()
                 ? nullptr
                 : from.weights->find(n.name, std::string_view(name).substr(n.name.size() + 1));
    };
    const weight_tensor* const weight = given(w.weight);
    const weight_tensor* const bias = given(w.bias);
    if (weight == nullptr || (bias == nullptr && !w.bias.empty()))
      return fail("tensor " + (weight == nullptr ? w.weight : w.bias), "is missing");
    if (bias != nullptr) to.set(w.bias, bias->shape, bias->values);
    folded_weights f{.weight = weight->values,
                     .bias = {},
                     .outputs = static_cast<std::size_t>(w.product.out_features)};
    if (s.signature.kernel == kernel::rnn || s.signature.kernel == kernel::lstm_observed) {
      if (is_in_half(n)) round_to_half(f.weight);
      to.set(w.weight, weight->shape, std::move(f.weight));
      continue;
    }
    result<quantized_weights> q =
        s.signature.kernel == kernel::lstm_static  // not quantized by a pattern of the backend
            ? quantize_weights(f, from.mapping.entries[n.choice.qconfig].qconfig.weight, {},
                               from.semantics)
            : quantized_weight(n, f, from);
    if (!q) return unexpected{q.error()};
    to.set(w.weight, weight->shape, std::move(q->weight));
    to.set(w.weight + "_scale", {w.product.out_features}, std::move(q->scale));
  }
  return done{};
}

}  // namespace quantizing

}  // namespace ctq
