// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>
#include <type_traits>

#include "ctq/core/diagnostic.hpp"
#include "ctq/passes/convert.hpp"
#include "ctq/passes/prepare_options.hpp"
#include "ctq/spec/custom_config.hpp"

// The options of a plan's passes besides the mapping, as a type:
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
  static constexpr bool is_qat = false;             // fake quantizes, for prepare_qat
  static constexpr dtype quantized_dtype = quint8;  // of quantized inputs and outputs
  static constexpr prepare_custom_config prepare{};
  static constexpr convert_custom_config convert{};
  static constexpr const backend_view* convert_backend = nullptr;  // as convert_options::backend
  using convert_mapping = void;    // a mapping whose entries of None leave nodes in float
  using standalone_models = void;  // what compiled code runs: see standalone_plan.hpp
  using custom_functions = void;   // of custom modules: see runtime/packing/custom_modules.hpp
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
                                                   .backend = Options::convert_backend,
                                                   .custom = Options::convert};

/// Reports standalone modules whose models are unknown: compiled code needs them.
///   listed  the paths of the standalone modules whose models are known
template <class Graph>
[[nodiscard]] constexpr diagnostic check_compiled_code(const Graph& fused, const prepare_options& o,
                                                       const view<std::string_view>& listed) {
  diagnostic d;
  if (o.custom.standalone.empty()) return d;
  for (int i = 0; i < fused.count && !d.any(); ++i) {
    const node& n = fused.nodes[i];
    if (standalone_of(o, n) == nullptr) continue;
    bool known = false;
    for (const std::string_view path : listed) known = known || path == path_of(n);
    if (known) continue;
    d.line("compiled code needs the model of a").line("standalone module").line("node: ", n.name);
    d.line("in the plan_options:").line("using standalone_models =");
    d.line("ctq::standalone_models<").line("ctq::standalone_model<\"", path_of(n), "\", model>>");
  }
  return d;
}

}  // namespace ctq
