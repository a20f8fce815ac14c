// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/result.hpp"
#include "ctq/evaluate/float_ops/call.hpp"
#include "ctq/evaluate/kernels/kernel_calls.hpp"
#include "ctq/evaluate/module_weights.hpp"
#include "ctq/evaluate/node_quantizer.hpp"
#include "ctq/evaluate/node_value.hpp"
#include "ctq/graph/node.hpp"

// Recurrent networks of a lowered graph with int8 weights, whose sequence and hidden states are
// quantized with their own ranges, by the kernel of compiled models.

namespace ctq::lowered {

[[nodiscard]] constexpr bool is_recurrent(op_id op) {
  return op->descriptor->schedule.how == schedule_as::recurrent;
}

/// The integers of the weights, by the floats that they represent: run, which float ops call with
/// the floats, passes the integers to the kernel.
struct dynamic_products {
  kernel_calls& kernels;
  std::vector<std::pair<float_ops::value, node_value>> integers{};
  bool computed = false;

  [[nodiscard]] static std::optional<std::vector<float>> run(
      void* state, const recurrent_shape& s, span<const float> sequence, span<const float> initial,
      span<const float_ops::recurrent_product> products) {
    auto* const self = static_cast<dynamic_products*>(state);
    std::vector<recurrent_weight_values> weights;
    for (const float_ops::recurrent_product& p : products)
      for (const auto& [real, integers] : self->integers)
        if (real.is_same(p.weight)) {
          weights.push_back({integers, p.bias});
          break;
        }
    if (weights.size() != products.size()) return {};
    auto out = self->kernels.recurrent(kernel::rnn_dynamic, s, sequence, initial, weights);
    self->computed = out.has_value();
    return out;
  }
};

/// The output of such a network; nullopt if its kernel does not compute it: weights of half
/// precision, or inputs that are quantized with a halved range (reduce_range) or to qint8.
///   op          the float op
///   call        its call, without attributes
///   attributes  with weights in float
/// Errors  as the float op; as the observers of weights
[[nodiscard]] inline result<std::optional<node_value>> dynamic_recurrent(
    const node& n, op_id op, float_ops::python_call call, module_weights::attributes attributes,
    module_weights& weights, node_quantizer& rounding) {
  using outcome = std::optional<node_value>;
  if (!is_recurrent(op) || n.observer_config == nullptr ||
      n.observer_config->args.dtype != quint8 || rounding.options().halve_dynamic_range)
    return outcome();
  dynamic_products products{rounding.kernels()};
  for (const float_ops::named_value& a : attributes) {
    if (!a.given.is<float_ops::tensor>() || !a.name.starts_with("weight")) continue;
    auto integers = weights.integers(n, a.name, attributes);
    if (!integers) return unexpected{integers.error()};
    if (integers->integers() == nullptr) return outcome();
    products.integers.emplace_back(a.given, *std::move(integers));
  }
  call.attributes.insert(call.attributes.end(), attributes.begin(), attributes.end());
  auto out = float_ops::call(op, std::move(call),
                             {.state = &products, .recurrent = dynamic_products::run});
  if (!products.computed) return outcome();  // the float op reports its errors
  if (!out) return unexpected{out.error()};
  return outcome(node_value(*std::move(out)));
}

}  // namespace ctq::lowered
