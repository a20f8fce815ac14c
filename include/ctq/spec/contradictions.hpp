// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/core/diagnostic.hpp"
#include "ctq/spec/backend_config.hpp"
#include "ctq/spec/backend_pattern_config.hpp"
#include "ctq/spec/dtype_config.hpp"

// Template arguments of a backend that contradict each other, such as two different input_dtype of
// one dtype_config: the last one would count.

namespace ctq::backend_parts {

/// Whether the record depends on the order of the parts, which are meant to be in any order.
template <class Record, class... Part>
constexpr bool depends_on_order() {
  constexpr std::size_t count = sizeof...(Part);
  if constexpr (count > 1) {
    constexpr void (*apply[count])(Record&) = {&Part::apply...};
    Record forwards, backwards;
    for (std::size_t i = 0; i < count; ++i) apply[i](forwards), apply[count - 1 - i](backwards);
    return !(forwards == backwards);
  } else {
    return false;
  }
}

/// Whether a part, or what it consists of, contradicts itself.
template <class Part>
inline constexpr bool contradicts = false;
template <dtype Dtype, class... Constraint>
inline constexpr bool contradicts<dtype_with_constraints<Dtype, Constraint...>> =
    depends_on_order<dtype_with_constraints_record, Constraint...>();
template <class Constraints>
inline constexpr bool contradicts<input_dtype<Constraints>> = contradicts<Constraints>;
template <class Constraints>
inline constexpr bool contradicts<output_dtype<Constraints>> = contradicts<Constraints>;
template <class Constraints>
inline constexpr bool contradicts<weight_dtype<Constraints>> = contradicts<Constraints>;
template <class... Part>
inline constexpr bool contradicts<dtype_config<Part...>> =
    depends_on_order<dtype_config_record, Part...>() || (contradicts<Part> || ...);
template <class... Config>
inline constexpr bool contradicts<dtype_configs<Config...>> = (contradicts<Config> || ...);
template <class Pattern, class... Part>
inline constexpr bool contradicts<backend_pattern_config<Pattern, Part...>> =
    depends_on_order<backend_pattern_config_record, Part...>() || (contradicts<Part> || ...);

/// A function, for derived configs.
template <class Pattern, class... Part>
constexpr bool has_contradiction(const backend_pattern_config<Pattern, Part...>*) {
  return contradicts<backend_pattern_config<Pattern, Part...>>;
}

/// The index of the first config that contradicts itself; -1: none does. Those of PyTorch's
/// backends and of files do not.
///   Backend  has_configs
template <class Backend>
constexpr int first_contradiction() {
  if constexpr (has_records<Backend> || requires { requires Backend::is_well_formed; }) {
    return -1;
  } else {
    return first_config<typename Backend::config_list>(
        [](const auto* config) { return has_contradiction(config); });
  }
}

/// The error of that config.
template <class Backend>
constexpr diagnostic contradiction() {
  return diagnostic{}
      .line("backend: ", Backend::name)
      .line("config: #", first_contradiction<Backend>())
      .line("an argument, such as input_dtype or")
      .line("quant_min, is given twice with")
      .line("different values: remove one");
}

}  // namespace ctq::backend_parts
