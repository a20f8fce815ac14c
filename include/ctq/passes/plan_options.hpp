// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <type_traits>

#include "ctq/core/diagnostic.hpp"
#include "ctq/passes/convert.hpp"
#include "ctq/passes/prepare_options.hpp"
#include "ctq/spec/custom_config.hpp"

// What the passes of a plan are told besides the mapping, as a type:
//
//   struct like_1_13 : ctq::plan_options {
//     static constexpr auto semantics = ctq::semantics::torch_1_13;
//     using convert_mapping = only_convolutions;
//   };
//   using p = ctq::plan<net, ctq::x86, everywhere, ctq::unsupported::error, like_1_13>;

namespace ctq {

/// Derive from it, and redefine what differs.
struct plan_options {
  static constexpr ctq::semantics semantics{};
  static constexpr bool is_qat = false;             // fake quantizes, as prepare_qat takes it
  static constexpr dtype quantized_dtype = quint8;  // of quantized inputs and outputs
  static constexpr prepare_custom_config prepare{};
  static constexpr convert_custom_config convert{};
  using convert_mapping = void;  // a mapping whose entries of None leave nodes in float
};

namespace planning {

/// The same, for training.
template <class Options>
struct in_training : Options {
  static constexpr bool is_qat = true;
};

template <class Options>
constexpr const mapping_view* convert_mapping() {
  if constexpr (std::is_void_v<typename Options::convert_mapping>) {
    return nullptr;
  } else {
    return &mapping_v<typename Options::convert_mapping>;
  }
}

}  // namespace planning

/// These options with is_qat.
template <class Options>
using qat_plan_options =
    std::conditional_t<Options::is_qat, Options, planning::in_training<Options>>;

template <class Options, unsupported Policy>
inline constexpr prepare_options prepare_options_v{Options::semantics, Policy, Options::is_qat,
                                                   Options::quantized_dtype, Options::prepare};

template <class Options, unsupported Policy>
inline constexpr convert_options convert_options_v{.semantics = Options::semantics,
                                                   .prepared = prepare_options_v<Options, Policy>,
                                                   .mapping = planning::convert_mapping<Options>(),
                                                   .custom = Options::convert};

/// Why compiled code cannot run a plan with these options. Its graphs, graph_plan, are those of
/// graphs at run time, which the evaluator runs.
[[nodiscard]] constexpr diagnostic check_compiled_code(const prepare_options& o) {
  diagnostic d;
  const auto report = [&d](std::string_view option, std::string_view why) {
    d.line("compiled code does not run a plan with").line(option).line(why);
    d.line("its graphs are those of graph_plan<...>,").line("an evaluator runs them");
  };
  if (!o.custom.standalone.empty()) {
    report("standalone modules", "a plan is one model");
  } else if (!o.custom.custom_modules.empty()) {
    report("custom modules", "their classes are functions of the user");
  }
  return d;
}

}  // namespace ctq
