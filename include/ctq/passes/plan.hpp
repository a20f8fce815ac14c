// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <type_traits>

#include "ctq/core/report.hpp"
#include "ctq/passes/check_compiled_lstm.hpp"
#include "ctq/passes/check_compiled_weights.hpp"
#include "ctq/passes/plan_stages.hpp"
#include "ctq/spec/validate.hpp"
#include "ctq/spec/validate_mapping.hpp"

// A model, a backend and a mapping that fit each other, with the results of the passes and the
// schedules; the first error of all stages is the compile error. Further options of the passes are
// in plan_options.hpp.

namespace ctq {

/// The first error in a model, a backend, a mapping, in their combination, or of a pass.
template <const auto& Model, class Backend, class Mapping, unsupported Policy,
          class Options = plan_options>
struct graph_plan_check {
  static constexpr bool has_bad_convert_mapping() {
    if constexpr (std::is_void_v<typename Options::convert_mapping>) {
      return false;
    } else {
      return mapping_check<typename Options::convert_mapping>::bad();
    }
  }
  static constexpr diagnostic find() {
    if constexpr (model_check<Model>::bad()) {
      return model_check<Model>::find();
    } else if constexpr (has_finding<Backend>()) {
      return backend_check<Backend>::found;
    } else if constexpr (mapping_check<Mapping>::bad()) {
      return mapping_check<Mapping>::found;
    } else if constexpr (has_bad_convert_mapping()) {
      return mapping_check<typename Options::convert_mapping>::found;
    } else if constexpr (Policy == unsupported::error &&
                         mapping_names_v<Model, Backend, Mapping, Options>.any()) {
      return mapping_names_v<Model, Backend, Mapping, Options>;
    } else if constexpr (prepared_v<Model, Backend, Mapping, Policy, Options>.problem.any()) {
      return prepared_v<Model, Backend, Mapping, Policy, Options>.problem;
    } else {
      return lowered_v<Model, Backend, Mapping, Policy, Options>.problem;
    }
  }
  static constexpr diagnostic found = find();
  static constexpr bool bad() { return found.any(); }
  static constexpr auto message() { return found.text; }
};

/// What compiled code runs: the graphs, what their nodes refer to, and the schedules.
///   Modules  Options::standalone_models; if not void, include standalone_plan.hpp
template <const auto& Model, class Backend, class Mapping, unsupported Policy, class Options,
          class Modules = typename Options::standalone_models>
struct plan_parts;
template <const auto& Model, class Backend, class Mapping, unsupported Policy, class Options>
struct plan_parts<Model, Backend, Mapping, Policy, Options, void> {
  static constexpr view<std::string_view> listed{};
  static constexpr diagnostic problem_inside{};
  static constexpr backend_view backend = backend_v<Backend>;
  static constexpr mapping_view mapping = mapping_v<Mapping>;
  static constexpr auto& prepared = prepared_v<Model, Backend, Mapping, Policy, Options>;
  static constexpr auto& lowered = lowered_v<Model, Backend, Mapping, Policy, Options>;
  static constexpr auto& missing_kernel =
      missing_kernel_v<Model, Backend, Mapping, Policy, Options>;
  static constexpr auto& observed_schedule =
      prepared_schedule_v<Model, Backend, Mapping, Policy, Options>;
  static constexpr auto& int8_schedule =
      lowered_schedule_v<Model, Backend, Mapping, Policy, Options>;
};

/// The same errors, and those of compiled code that cannot run the model.
template <const auto& Model, class Backend, class Mapping, unsupported Policy,
          class Options = plan_options>
struct plan_check {
  static constexpr diagnostic find() {
    using graphs = graph_plan_check<Model, Backend, Mapping, Policy, Options>;
    using parts = plan_parts<Model, Backend, Mapping, Policy, Options>;
    if constexpr (model_check<Model>::bad() || has_finding<Backend>() ||
                  mapping_check<Mapping>::bad()) {
      return graphs::found;
    } else if constexpr (constexpr diagnostic why =
                             check_compiled_code(fused_v<Model, Backend, Options>,
                                                 prepare_options_v<Options, Policy>, parts::listed);
                         why.any()) {
      return why;
    } else if constexpr (graphs::has_bad_convert_mapping() ||
                         (Policy == unsupported::error &&
                          mapping_names_v<Model, Backend, Mapping, Options>.any()) ||
                         prepared_v<Model, Backend, Mapping, Policy, Options>.problem.any()) {
      return graphs::found;
    } else if constexpr (Options::prepare.custom_modules.count > 0 &&
                         check_compiled_lstm(parts::prepared, parts::mapping,
                                             prepare_options_v<Options, Policy>,
                                             Options::convert.custom_modules)
                             .any()) {
      return check_compiled_lstm(parts::prepared, parts::mapping,
                                 prepare_options_v<Options, Policy>,
                                 Options::convert.custom_modules);
    } else if constexpr (constexpr diagnostic axis =
                             check_compiled_weights(parts::prepared, parts::mapping);
                         axis.any()) {
      return axis;
    } else if constexpr (parts::problem_inside.any()) {
      return parts::problem_inside;
    } else if constexpr (parts::observed_schedule.problem.any()) {
      return parts::observed_schedule.problem;
    } else if constexpr (graphs::bad()) {
      return graphs::found;
    } else if constexpr (parts::missing_kernel.any()) {
      return parts::missing_kernel;
    } else {
      return parts::int8_schedule.problem;
    }
  }
  static constexpr diagnostic found = find();
  static constexpr bool bad() { return found.any(); }
  static constexpr auto message() { return found.text; }
};

/// The first error in a model, a backend, or in running the model in float.
template <const auto& Model, class Backend>
struct float_check {
  static constexpr diagnostic find() {
    if constexpr (model_check<Model>::bad()) {
      return model_check<Model>::find();
    } else if constexpr (has_finding<Backend>()) {
      return backend_check<Backend>::found;
    } else {
      return fused_schedule_v<Model, Backend>.problem;
    }
  }
  static constexpr diagnostic found = find();
  static constexpr bool bad() { return found.any(); }
  static constexpr auto message() { return found.text; }
};

/// The graphs of a model, a backend and a mapping; a compile error if these do not fit each other.
/// The passes take the same options as at run time, and return the same graphs.
template <const auto& Model, class Backend, class Mapping = default_qconfig_mapping<Backend>,
          unsupported Policy = unsupported::error, class Options = plan_options>
struct graph_plan : report<graph_plan_check<Model, Backend, Mapping, Policy, Options>> {
  static constexpr backend_view backend = backend_v<Backend>;
  static constexpr mapping_view mapping = mapping_v<Mapping>;
  static constexpr const prepare_options& options = prepare_options_v<Options, Policy>;
  static constexpr const convert_options& options_of_convert = convert_options_v<Options, Policy>;
  static constexpr auto& traced = Model;
  static constexpr auto& fused = fused_v<Model, Backend, Options>;
  static constexpr auto& prepared = prepared_v<Model, Backend, Mapping, Policy, Options>;
  static constexpr auto& reference = reference_v<Model, Backend, Mapping, Policy, Options>;
  static constexpr auto& lowered = lowered_v<Model, Backend, Mapping, Policy, Options>;
};

/// The graphs and schedules that compiled code runs: the Plan of prepare and convert. It takes the
/// same options as graph_plan, but needs the models of standalone modules, and the observed and
/// quantized classes of custom modules must be user ops, or ctq's own for a statically quantized
/// LSTM.
template <const auto& Model, class Backend, class Mapping = default_qconfig_mapping<Backend>,
          unsupported Policy = unsupported::error, class Options = plan_options>
struct plan : report<plan_check<Model, Backend, Mapping, Policy, Options>> {
  using parts = plan_parts<Model, Backend, Mapping, Policy, Options>;
  static constexpr backend_view backend = parts::backend;
  static constexpr mapping_view mapping = parts::mapping;
  static constexpr const prepare_options& options = prepare_options_v<Options, Policy>;
  using custom_functions = typename Options::custom_functions;
  static constexpr auto& traced = Model;
  static constexpr auto& prepared = parts::prepared;
  static constexpr auto& lowered = parts::lowered;
  static constexpr auto& observed_schedule = parts::observed_schedule;
  static constexpr auto& int8_schedule = parts::int8_schedule;
};

/// Satisfied by plan and types derived from it.
template <class Plan>
concept compiled_plan = requires {
  typename Plan::parts;
  Plan::prepared;
  Plan::mapping;
};

/// What is wrong with an argument that should be a plan.
template <class Plan>
struct plan_argument_check {
  static constexpr bool bad() { return !compiled_plan<Plan>; }
  static constexpr auto message() {
    return diagnostic{}
        .line("not a plan, but given as one: it is")
        .line("ctq::plan<model, backend, mapping>")
        .line("or derived from it")
        .text;
  }
};

}  // namespace ctq
