// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/qparams.hpp"
#include "ctq/core/terminate.hpp"
#include "ctq/graph/graph.hpp"
#include "ctq/passes/prepare_options.hpp"
#include "ctq/runtime/weights.hpp"

// Custom modules in compiled models. Their observed and quantized classes are user ops: apply of
// the observed one runs while the model is calibrated, run (or, of a dynamic one, apply) of the
// quantized one afterwards. What these own is made by functions of the user, as PyTorch's
// from_float and from_observed do:
//
//   struct cell_functions {
//     static constexpr ctq::op_id observed_class = my::observed_cell.id();
//     static constexpr ctq::op_id quantized_class = my::quantized_cell.id();
//     static std::vector<ctq::weight_tensor> from_float(const ctq::custom_module_tensors&);
//     static std::vector<ctq::weight_tensor> from_observed(const ctq::custom_module_tensors&);
//   };
//   struct my_options : ctq::plan_options {
//     using custom_functions = ctq::custom_functions<cell_functions>;
//     …
//   };
//
// Without a function a form owns the same tensors as the form before it.

namespace ctq {

/// What a form of a custom module is made from.
struct custom_module_tensors {
  std::string path{};                    // of the module
  std::vector<weight_tensor> tensors{};  // of the form before, by their names in the module
  std::vector<qparams> inputs{};         // from_observed: of the inputs that are integers, in order
  std::vector<qparams> outputs{};        // from_observed: of the output, if it is integers

  /// Requires  a tensor of this name; checked
  [[nodiscard]] const weight_tensor& at(std::string_view name) const {
    for (const weight_tensor& t : tensors)
      if (t.name == name) return t;
    abort_with_error("custom module " + path + " has no tensor " + std::string(name));
  }
};

/// The functions for all custom modules of a plan.
template <class... Functions>
struct custom_functions {};

namespace custom_modules {

/// The tensors of a module, by their names in it, taken out of those of the model.
[[nodiscard, gnu::cold]] inline std::vector<weight_tensor> take(std::vector<weight_tensor>& all,
                                                                const std::string& path) {
  std::vector<weight_tensor> its;
  std::vector<weight_tensor> others;
  const std::string prefix = path + ".";
  for (weight_tensor& t : all) {
    const bool is_its = t.name.starts_with(prefix);
    if (is_its) t.name.erase(0, prefix.size());
    (is_its ? its : others).push_back(std::move(t));
  }
  all = std::move(others);
  return its;
}

/// Replaces the tensors of the modules of a class by those that a function of the user makes.
///   qparams  those of the observers, or none
///   form     which of the custom_functions
template <class Graph, class Form>
[[gnu::cold]] void replace(const Graph& g, op_id of, span<const qparams> qparams,
                           std::vector<weight_tensor>& all, Form form) {
  for (int i = 0; i < g.count; ++i) {
    const node& n = g.nodes[i];
    if (!is_same_op(of, n.op) || module_of_call(n.name).size() != n.name.size()) continue;
    custom_module_tensors from{std::string(n.name), take(all, std::string(n.name)), {}, {}};
    const auto add = [&](const node& value, std::vector<ctq::qparams>& to) {
      if (is_quantized(value.dtype) && !qparams.empty())
        to.push_back(qparams[static_cast<std::size_t>(value.observer)]);
    };
    for (int a = 0; a < n.arg_count; ++a) add(g.nodes[g.args[n.first_arg + a]], from.inputs);
    add(n, from.outputs);
    for (weight_tensor& t : form(from)) {
      t.name = from.path + "." + t.name;
      all.push_back(std::move(t));
    }
  }
}

template <class Functions>
[[nodiscard]] std::vector<weight_tensor> observed_tensors(const custom_module_tensors& from) {
  if constexpr (requires { Functions::from_float(from); }) {
    return Functions::from_float(from);
  } else {
    return from.tensors;
  }
}
template <class Functions>
[[nodiscard]] std::vector<weight_tensor> quantized_tensors(const custom_module_tensors& from) {
  if constexpr (requires { Functions::from_observed(from); }) {
    return Functions::from_observed(from);
  } else {
    return from.tensors;
  }
}

template <class List>
struct all_of;
template <class... Functions>
struct all_of<custom_functions<Functions...>> {
  template <class Plan>
  [[nodiscard, gnu::cold]] static weights observed(const weights& w) {
    std::vector<weight_tensor> all = w.tensors();
    (replace(Plan::prepared, Functions::observed_class, {}, all, observed_tensors<Functions>), ...);
    return weights{std::move(all)};
  }
  template <class Plan>
  [[nodiscard, gnu::cold]] static weights quantized(const weights& w, span<const qparams> qparams) {
    std::vector<weight_tensor> all = observed<Plan>(w).tensors();
    (replace(Plan::lowered, Functions::quantized_class, qparams, all, quantized_tensors<Functions>),
     ...);
    return weights{std::move(all)};
  }
};

}  // namespace custom_modules

/// The float weights with those of custom modules in their observed form.
template <class Plan>
[[nodiscard]] decltype(auto) observed_weights(const weights& w) {
  using functions = typename Plan::custom_functions;
  if constexpr (std::is_void_v<functions>) {
    return (w);
  } else {
    return custom_modules::all_of<functions>::template observed<Plan>(w);
  }
}

/// The same in their quantized form.
///   qparams  by number of the observer
template <class Plan>
[[nodiscard]] decltype(auto) quantized_weights_of(const weights& w, span<const qparams> qparams) {
  using functions = typename Plan::custom_functions;
  if constexpr (std::is_void_v<functions>) {
    return (w);
  } else {
    return custom_modules::all_of<functions>::template quantized<Plan>(w, qparams);
  }
}

}  // namespace ctq
