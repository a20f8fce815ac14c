// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../runtime/compare_executors.hpp"
#include "ctq/evaluate/evaluator.hpp"
#include "ctq/evaluate/observer_set.hpp"
#include "ctq/runtime/weights.hpp"

namespace small {

/// What modules own, for the evaluator.
inline ctq::module_state state_of(const ctq::weights& w) {
  ctq::module_state all;
  for (const ctq::weight_tensor& t : w.tensors())
    all.set_tensor(t.name, ctq::float_ops::tensor{t.shape, t.values});
  return all;
}

/// The qparams of a compiled model, for the evaluator.
template <class Int8>
[[nodiscard]] ctq::model_qparams qparams_of(const Int8& int8) {
  ctq::model_qparams all;
  for (std::size_t i = 0; i < int8.qparams().size(); ++i) {
    const ctq::qparams& q = int8.qparams()[i];
    all.activations[static_cast<int>(i)] = {.dtype = ctq::quint8,
                                            .scale = {static_cast<double>(q.scale)},
                                            .zero_point = {q.zero_point}};
  }
  return all;
}

/// Those of the weights of functions, too, as their observers calculate them.
template <class Plan>
void add_qparams_of_functions(const ctq::weights& w, ctq::model_qparams& all) {
  for (const ctq::node& n : Plan::lowered.nodes) {
    if (n.observer_config == nullptr || !is_per_channel(n.observer_config->type)) continue;
    const ctq::node& weight = Plan::lowered.nodes[Plan::lowered.args[n.first_arg]];
    const ctq::weight_tensor* const given = w.find(path_of(weight));
    REQUIRE(given != nullptr);
    const auto found =
        ctq::qparams_of_weight(*n.observer_config, {given->shape, given->values}, {});
    REQUIRE(found);
    all.activations[n.observer] = **found;
  }
}

/// What runs the custom modules of these paths.
///   forms  by path: pointers to modules with forward(reads)
template <class Forms>
[[nodiscard]] ctq::user_implementation calls_of(const Forms& forms) {
  return [&forms](const ctq::node& n, const std::vector<ctq::node_value>& reads,
                  const std::vector<ctq::float_ops::named_value>&) {
    const auto found = forms.find(std::string(path_of(n)));
    return found == forms.end() ? std::optional<ctq::result<ctq::node_value>>()
                                : found->second->forward(reads);
  };
}

/// For compare_executors, of models with one input and one output: the evaluator has the bytes of
/// the compiled model, too.
struct and_evaluator {
  template <class Plan>
  struct comparison {
    ctq::module_state modules;
    ctq::model_qparams qparams;

    template <class Input, class Output>
    void operator()(const Input& x, const Output& ours) const {
      using ctq::float_ops::tensor;
      ctq::evaluator<ctq::stage::lowered> run(Plan::lowered.view(), modules, {.qparams = &qparams});
      const ctq::shape& s = Plan::lowered.nodes[0].shape;
      const auto values = run.run({ctq::node_value(
          tensor{{s.extent, s.extent + s.rank}, {x.values.begin(), x.values.end()}})});
      if (!values) FAIL(values.error().message());
      const ctq::float_ops::value last = values->back().real();
      const auto* const y = last.template get_if<tensor>();
      REQUIRE(y != nullptr);
      CHECK(y->data == std::vector<float>(ours.values.begin(), ours.values.end()));
    }
  };

  template <class Plan, class Int8>
  [[nodiscard]] comparison<Plan> of(const Int8& int8, const ctq::weights& w) const {
    comparison<Plan> made{state_of(w), qparams_of(int8)};
    add_qparams_of_functions<Plan>(w, made.qparams);
    return made;
  }
};

struct everywhere
    : ctq::qconfig_mapping<ctq::global<
          ctq::qconfig<ctq::histogram_observer<>, ctq::per_channel_min_max_observer<>>>> {};

/// Both executors and the evaluator have the same bytes, near the float model's. What the backend
/// does not list stays in float.
template <const auto& Model, class Backend>
void check_with_evaluator() {
  const differences d =
      compare_executors<Model, Backend, everywhere, ctq::unsupported::skip>(5, and_evaluator{});
  CHECK(d.other_bytes == 0);
  CHECK(d.error < 0.1F * d.size);
}

}  // namespace small
