// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ctq/core/result.hpp"
#include "ctq/evaluate/evaluation_options.hpp"
#include "ctq/evaluate/folded_modules.hpp"
#include "ctq/evaluate/module_state.hpp"
#include "ctq/evaluate/node_value.hpp"
#include "ctq/evaluate/observer_set.hpp"
#include "ctq/evaluate/quantized_tensor.hpp"
#include "ctq/graph/node.hpp"
#include "ctq/runtime/packing/parameter_sources.hpp"

// The attributes of modules as a graph computes with them: batch norms folded in, weights rounded.
// Folding and rounding take longer than running a small model, so both are cached until the tensors
// of a module change. For one thread at a time.

namespace ctq {

class module_weights {
 public:
  using attributes = std::vector<float_ops::named_value>;

  /// The modules, and the qparams if given, must outlive this.
  module_weights(const module_state& modules, const model_qparams* qparams, semantics s)
      : modules_(&modules), qparams_(qparams), semantics_(s) {}
  module_weights(const module_state&&, const model_qparams*, semantics) = delete;

  /// As folded_attributes.
  [[nodiscard]] result<attributes> folded(const node& n) {
    if (n.batch_norm.empty() || n.op->descriptor->keeps_batch_norm)
      return folded_attributes(n, *modules_);
    attributes own = modules_->attributes_of(path_of(n));
    attributes of_norm = modules_->attributes_of(n.batch_norm);
    folded_module& kept = folded_[&n];
    if (kept.result.empty() || !are_same(kept.own, own) || !are_same(kept.of_norm, of_norm)) {
      auto now = folded_attributes(n, *modules_);
      if (!now) return now;
      kept = {std::move(own), std::move(of_norm), *std::move(now)};
    }
    return kept.result;
  }

  /// A quantized weight: with the qparams that were given for its path, else with those of the
  /// node's observer. Half precision is not quantized: the result has no integers.
  ///   name  "weight", or one of those of a recurrent network
  /// Requires  a node with an observer for its weight, and a tensor
  /// Errors    as the observer; qparams that are given and do not fit the weight
  [[nodiscard]] result<node_value> quantized(const node& n, const std::string& name,
                                             const float_ops::value& weight) {
    const tensor_qparams* given = nullptr;
    if (qparams_ != nullptr) {
      const auto found = qparams_->weights.find(std::string(path_of(n)) + "." + name);
      if (found != qparams_->weights.end()) given = &found->second;
    }
    rounded_weight& kept = rounded_[{&n, name}];
    const bool holds = kept.weight.is_same(weight) && weight.is<float_ops::tensor>() &&
                       (given == nullptr ? !kept.given : kept.given == *given);
    if (holds) return kept.integers;
    const auto& tensor = *weight.get_if<float_ops::tensor>();
    if (given != nullptr) {
      std::string problem = problem_with(*given, tensor.shape);
      if (const int asked = n.weight->args.group_size; given->group_size != asked)
        problem = "the given qparams have groups of " + std::to_string(given->group_size) +
                  " elements, the observer asks for groups of " + std::to_string(asked);
      if (!problem.empty()) return fail(name, std::move(problem));
    }
    const auto qparams = given != nullptr
                             ? result<std::optional<tensor_qparams>>(*given)
                             : qparams_of_weight(observer_of_weight(n), tensor, semantics_);
    if (!qparams) return unexpected{qparams.error()};
    kept = {weight,
            given == nullptr ? std::nullopt : std::optional{*given},
            *qparams ? node_value(quantize(tensor, **qparams)) : node_value(weight),
            {}};
    return kept.integers;
  }

  /// The same, dequantized.
  [[nodiscard]] result<float_ops::value> rounded(const node& n, const std::string& name,
                                                 const float_ops::value& weight) {
    const auto integers = quantized(n, name, weight);
    if (!integers) return unexpected{integers.error()};
    rounded_weight& kept = rounded_[{&n, name}];
    if (!kept.real.is<float_ops::tensor>()) kept.real = kept.integers.real();
    return kept.real;
  }

  /// As quantized, for one of the attributes; no integers if it is not a tensor or has no observer.
  [[nodiscard]] result<node_value> integers(const node& n, const std::string& name,
                                            attributes& all) {
    const float_ops::value* const weight = find(all, name);
    if (weight == nullptr || !weight->is<float_ops::tensor>() || n.weight == nullptr)
      return node_value();
    return quantized(n, name, *weight);
  }

  /// Rounds the weight that the node's observer is for, or all those of a recurrent network.
  [[nodiscard]] status round(const node& n, attributes& all) {
    return for_each_weight(n, all, [&](const std::string& name, const float_ops::value& weight) {
      return rounded(n, name, weight);
    });
  }

  /// A weight rounded to half precision, as lowered layers with float16 weights have it.
  ///   name  as quantized
  [[nodiscard]] float_ops::value in_half(const node& n, const std::string& name,
                                         const float_ops::value& weight) {
    const auto* const floats = weight.get_if<float_ops::tensor>();
    if (floats == nullptr) return weight;
    rounded_weight& kept = halves_[{&n, name}];
    if (!kept.weight.is_same(weight)) {
      float_ops::tensor half = *floats;
      quantizing::round_to_half(half.data);
      kept = {.weight = weight, .real = float_ops::value(std::move(half))};
    }
    return kept.real;
  }

  /// The same for the weight that the node's observer is for, or all those of a recurrent network.
  [[nodiscard]] status round_to_half(const node& n, attributes& all) {
    return for_each_weight(n, all, [&](const std::string& name, const float_ops::value& weight) {
      return result<float_ops::value>(in_half(n, name, weight));
    });
  }

  /// Passes these weights to their observers, which may round them; null: there are none.
  [[nodiscard]] static status observe(const node& n, attributes& all, observer_set* observers) {
    if (observers == nullptr) return done{};
    return for_each_weight(n, all, [&](const std::string&, const float_ops::value& weight) {
      return observers->forward(std::string(path_of(n)), *n.weight,
                                *weight.get_if<float_ops::tensor>());
    });
  }

 private:
  /// Replaces each weight by f(name, weight).
  template <class F>
  static status for_each_weight(const node& n, attributes& all, F f) {
    if (n.weight == nullptr) return done{};
    for (float_ops::named_value& a : all) {
      if (!a.given.is<float_ops::tensor>() || !a.name.starts_with("weight")) continue;
      auto made = f(a.name, a.given);
      if (!made) return unexpected{made.error()};
      a.given = *std::move(made);
    }
    return done{};
  }

  /// The channel axis is that of the descriptor for user ops, that of the observer for PyTorch's
  /// ops.
  static observer_record observer_of_weight(const node& n) {
    observer_record record = *n.weight;
    if (!n.op->builtin && is_per_channel(record.type))
      record.args.ch_axis = n.op->descriptor->channel_axis;
    return record;
  }

  struct folded_module {
    attributes own{}, of_norm{};
    attributes result{};
  };
  struct rounded_weight {
    float_ops::value weight{};
    std::optional<tensor_qparams> given{};
    node_value integers{};
    float_ops::value real{};
  };

  static bool are_same(const attributes& a, const attributes& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
      return x.name == y.name && x.given.is_same(y.given);
    });
  }

  const module_state* modules_;
  const model_qparams* qparams_;
  semantics semantics_;
  std::map<const node*, folded_module> folded_;
  std::map<std::pair<const node*, std::string>, rounded_weight> rounded_, halves_;
};

}  // namespace ctq
