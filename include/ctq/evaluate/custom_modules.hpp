// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ctq/core/result.hpp"
#include "ctq/evaluate/evaluation_options.hpp"
#include "ctq/evaluate/module_state.hpp"
#include "ctq/evaluate/node_call.hpp"
#include "ctq/evaluate/node_value.hpp"
#include "ctq/evaluate/quantized_tensor.hpp"
#include "ctq/graph/graph.hpp"
#include "ctq/passes/prepare_options.hpp"

// Custom modules in graphs that an evaluator runs: functions of the user make the observed form of
// such a module from its float form, and the quantized form from the observed one, as PyTorch's
// from_float and from_observed do.
//
//   custom_module_set custom({{.float_class = &cell, .from_float = …, .from_observed = …}});
//   custom.prepare(prepared.view(), mapping, options, modules);
//   evaluator<stage::prepared> calibrate(prepared.view(), modules,
//                                        {.observers = &observers,
//                                         .implementation = custom.observed()});
//   …
//   custom.convert(qparams);
//   evaluator<stage::reference> run(reference.view(), modules,
//                                   {.qparams = &qparams, .implementation = custom.quantized()});

namespace ctq {

/// What a form of a custom module is made from.
struct custom_module_source {
  std::string path{};                      // of the module
  qconfig_record qconfig{};                // of its node
  module_state modules{};                  // the module, named "", and those in it, by paths inside
                                           // it; of a model in C++ also the options of its node
  std::optional<tensor_qparams> output{};  // from_observed: of the observer after it; nullopt if
                                           // there is none, or it has observed nothing
};

/// The observed or the quantized form of one module.
class custom_module_form {
 public:
  custom_module_form() = default;
  custom_module_form(const custom_module_form&) = delete;
  custom_module_form& operator=(const custom_module_form&) = delete;
  virtual ~custom_module_form() = default;

  /// The output for these inputs. The quantized form of a statically quantized module gets
  /// quantized inputs as integers, and returns integers with the qparams of source.output, or
  /// floats; that of nn.LSTM, after which there is no observer, returns a tuple of integers,
  /// (output, (h, c)).
  [[nodiscard]] virtual result<node_value> forward(const std::vector<node_value>& inputs) = 0;
};

/// The functions that make the forms of the modules of a class, for qconfigs of one quant type.
struct custom_module_functions {
  using form = std::unique_ptr<custom_module_form>;

  op_id float_class{};
  quant_type type = quant_type::static_;
  std::function<result<form>(const custom_module_source&)> from_float{};
  /// The observed form has seen the calibration data; it is not used afterwards.
  std::function<result<form>(custom_module_form& observed, const custom_module_source&)>
      from_observed{};
};

/// The custom modules of a model. A module that is called several times is made once.
///
/// Threads   one at a time
/// Lifetime  must outlive what observed() and quantized() return; it cannot be moved
class custom_module_set {
 public:
  explicit custom_module_set(std::vector<custom_module_functions> functions)
      : functions_(std::move(functions)) {}
  custom_module_set(const custom_module_set&) = delete;
  custom_module_set& operator=(const custom_module_set&) = delete;
  ~custom_module_set() = default;

  /// Makes the observed forms of the modules that prepare has swapped.
  ///   options  those of prepare
  ///   modules  the float modules of the model
  /// Errors  those of from_float; a class without functions
  [[nodiscard]] status prepare(graph_view<stage::prepared> g, const mapping_view& mapping,
                               const prepare_options& options, const module_state& modules) {
    modules_.clear();
    for (int i = 0; i < g.size(); ++i) {
      const node& n = g[i];
      if (n.op->kind != op_kind::module || !n.choice.observed || n.choice.qconfig < 0) continue;
      const qconfig_record& qconfig = mapping.entries[n.choice.qconfig].qconfig;
      const custom_module* const entry = custom_of(options, n.op, qconfig);
      if (entry == nullptr) continue;
      const std::string path(path_of(n));
      const auto [at, is_new] = modules_.try_emplace(path);
      instance& m = at->second;
      for (int k = i + 1; k < g.size() && m.observer < 0; ++k)
        if (is_any_of(g[k].op, q::activation_post_process) && g.args_of(k)[0] == i)
          m.observer = g[k].observer;
      if (!is_new) continue;
      m.functions = functions_of(*entry);
      if (m.functions == nullptr || !m.functions->from_float || !m.functions->from_observed)
        return fail(path, "the custom class " + std::string(entry->float_class->name) +
                              " has no from_float and from_observed for quant type " +
                              std::string(name_of(entry->type)));
      m.source = {path, qconfig, modules.inside(path), {}};
      std::vector<float_ops::named_value> options;
      node in_float = n;
      in_float.op = entry->float_class;
      if (n.row == nullptr) calling::append_options(in_float, options);
      for (const float_ops::named_value& v : options)
        m.source.modules.set_option("", v.name, v.given);
      for (const float_ops::named_value& v : modules.attributes_of(path))
        m.source.modules.set_option("", v.name, v.given);
      auto observed = m.functions->from_float(m.source);
      if (!observed) return unexpected{observed.error()};
      m.observed = *std::move(observed);
    }
    return done{};
  }

  /// Makes the quantized forms.
  ///   qparams  those of the observers of the prepared model
  /// Errors  those of from_observed
  [[nodiscard]] status convert(const model_qparams& qparams) {
    for (auto& [path, m] : modules_) {
      const auto output = qparams.activations.find(m.observer);
      if (output != qparams.activations.end()) m.source.output = output->second;
      auto quantized = m.functions->from_observed(*m.observed, m.source);
      if (!quantized) return unexpected{quantized.error()};
      m.quantized = *std::move(quantized);
    }
    return done{};
  }

  /// For the evaluator of the prepared graph.
  [[nodiscard]] user_implementation observed() { return calls(&instance::observed); }
  /// For evaluators of the reference graph and of the lowered one.
  [[nodiscard]] user_implementation quantized() { return calls(&instance::quantized); }

 private:
  struct instance {
    const custom_module_functions* functions{};
    custom_module_source source{};
    int observer = -1;  // of its output
    std::unique_ptr<custom_module_form> observed{};
    std::unique_ptr<custom_module_form> quantized{};
  };

  [[nodiscard]] const custom_module_functions* functions_of(const custom_module& entry) const {
    for (const custom_module_functions& f : functions_)
      if (is_same_op(f.float_class, entry.float_class) && f.type == entry.type) return &f;
    return nullptr;
  }

  [[nodiscard]] user_implementation calls(std::unique_ptr<custom_module_form> instance::*form) {
    return [this, form](
               const node& n, const std::vector<node_value>& reads,
               const std::vector<float_ops::named_value>&) -> std::optional<result<node_value>> {
      const auto found = modules_.find(std::string(path_of(n)));
      if (found == modules_.end() || n.op->kind != op_kind::module) return {};
      custom_module_form* const made = (found->second.*form).get();
      if (made == nullptr) return fail(found->first, "the custom module is not converted");
      return made->forward(reads);
    };
  }

  std::vector<custom_module_functions> functions_;
  std::map<std::string, instance> modules_;
};

}  // namespace ctq
